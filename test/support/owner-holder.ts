/** Run as a process: enters a name for an owner, says so, and holds it until it is killed. */
import { LockManager } from "../../src/index.js";
import { brief } from "./brief.js";

const { URLS, OWNER, TTL_MS } = process.env;
const locks = new LockManager(JSON.parse(URLS ?? "[]") as string[], {
  ...brief(Number(TTL_MS)),
  clockStepMs: 0,
});
locks.on("warning", () => {});
const { fencingToken } = await locks.acquire("name", { owner: OWNER });
process.stdout.write(`${fencingToken}\n`);
