import { once } from "node:events";
import { LockManager } from "../../src/index.js";

/** A process that adopts the lock that it is sent, and releases it when it is told to. */
const urls = JSON.parse(process.argv[2] ?? "[]") as string[];
await using locks = new LockManager(urls, { nodeTimeoutMs: 2_000 });
await locks.ready();
process.send?.("ready");
const [json] = (await once(process, "message")) as [string];
const lock = await locks.adopt(json);
process.send?.({ token: lock.fencingToken });
await once(process, "message");
process.send?.(await lock.release());
process.disconnect();
