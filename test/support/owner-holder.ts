/** Run as a process: enters a name for an owner, says so, and holds it until it is killed. */
import { LockManager } from "../../src/index.js";
import { brief } from "./brief.js";

const { URLS, OWNER, TTL_MS } = process.env;
const locks = new LockManager(JSON.parse(URLS ?? "[]") as string[], brief(Number(TTL_MS)));
locks.on("warning", () => {});
const { fencingToken } = await locks.acquire("name", { owner: OWNER, clockStepMs: 0 });
process.stdout.write(`${fencingToken}\n`);
