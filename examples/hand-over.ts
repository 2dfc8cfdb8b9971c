import { LockManager, NotAdoptableError } from "../src/index.js";

const nodes = ["redis://127.0.0.1:7001", "redis://127.0.0.1:7002", "redis://127.0.0.1:7003"];
// Two processes, here in one program. All that passes between them is a string.
await using web = new LockManager(nodes);
await using worker = new LockManager(nodes);
await worker.ready();

const lock = await web.acquire("invoice:42");
const message = JSON.stringify({ invoice: 42, lock: lock.handOver() }); // given away
console.log("web holds it:", lock.isHeld);

const job = JSON.parse(message);
const adopted = await worker.adopt(job.lock);
console.log("worker holds it:", adopted.isHeld, adopted.fencingToken > lock.fencingToken);

try {
  await web.adopt(job.lock); // a second time
} catch (error) {
  if (!(error instanceof NotAdoptableError)) throw error;
  console.log("adopted only once:", error.reason);
}
console.log(await adopted.release());
