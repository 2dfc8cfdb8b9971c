import { LockManager } from "../src/index.js";

const nodes = ["redis://127.0.0.1:7001", "redis://127.0.0.1:7002", "redis://127.0.0.1:7003"];
await using service = new LockManager(nodes, { label: "web 1" });
await using operator = new LockManager(nodes, { label: "operator" });

const stuck = await service.acquire("invoice:42");
const { state, holders, waitingCount } = await operator.inspect("invoice:42");
const [holder] = holders;
console.log(state, holder?.label, `${waitingCount} waiting`);

// Ends only the holder we have seen, not one that has acquired the lock since.
if (holder === undefined) throw new Error("nobody holds it");
const { fingerprint } = holder;
const { removed, isQuorate } = await operator.forceRelease("invoice:42", { fingerprint });
console.log("removed", removed.map(({ label }) => label).join(), isQuorate);

const next = await operator.tryAcquire("invoice:42");
console.log("free again:", next !== null);
await stuck.extend().catch((error: Error) => console.log(error.message));
await next?.release();
