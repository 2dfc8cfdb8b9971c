import { LockManager, NotAdoptableError } from "../src/index.js";

const nodes = ["redis://127.0.0.1:7001", "redis://127.0.0.1:7002", "redis://127.0.0.1:7003"];
// Two processes in one program, so that it can be run: what goes between them is text.
await using web = new LockManager(nodes);
await using worker = new LockManager(nodes);
await worker.ready();

const lock = await web.acquire("invoice:42");
const parcel = JSON.stringify({ invoice: 42, lock: lock.toJSON() }); // from here on it is not ours
console.log("web holds it:", lock.isHeld);

const job = JSON.parse(parcel);
const adopted = await worker.adopt(job.lock);
console.log("worker holds it:", adopted.isHeld, adopted.ownerId !== lock.ownerId);

try {
  await web.adopt(job.lock); // the same once more
} catch (error) {
  if (!(error instanceof NotAdoptableError)) throw error;
  console.log("not twice:", error.reason);
}
console.log(await adopted.release());
