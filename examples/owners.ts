import { LockManager } from "../src/index.js";

const nodes = ["redis://127.0.0.1:7001", "redis://127.0.0.1:7002", "redis://127.0.0.1:7003"];
// Two processes that work on one job, and one that works on others.
const [intake, packing, others] = [1, 2, 3].map(() => new LockManager(nodes)) as [
  LockManager,
  LockManager,
  LockManager,
];

await using lock = await intake.acquire("order:42", { owner: "job-17" });
await packing.request("order:42", { owner: "job-17" }, async (inner) => {
  console.log("job-17 holds it twice:", lock.isHeld, inner.isHeld);
  console.log("job-18:", await others.tryAcquire("order:42", { owner: "job-18" }));
});
console.log("no owner:", await others.tryAcquire("order:42"));
await lock.release(); // the last one
await others.request("order:42", { owner: "job-18" }, () => console.log("job-18 holds it"));
await Promise.all([intake, packing, others].map((locks) => locks.close()));
