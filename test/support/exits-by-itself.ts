/**
 * Run as a process: takes locks, closes, and has to end by itself. `URLS` is a JSON list; `MODE`
 * says what the nodes are like.
 */
import { LockManager } from "../../src/index.js";

const urls = JSON.parse(process.env["URLS"] ?? "[]") as string[];
const mode = process.env["MODE"];
const locks = new LockManager(urls, { nodeTimeoutMs: 3_000, ttlMs: 20_000 });

if (mode === "held") {
  const held = await Promise.all(Array.from({ length: 50 }, (_, n) => locks.acquire(`held-${n}`)));
  const waiting = held.map((lock) => locks.acquire(lock.name).catch((error: unknown) => error));
  await new Promise((resolve) => setTimeout(resolve, 30));
  await locks.close();
  const codes = (await Promise.all(waiting)).map((error) => (error as { code?: string }).code);
  console.log(JSON.stringify({ held: held.filter(({ isHeld }) => isHeld).length, codes }));
} else if (mode === "unreachable") {
  const waiting = locks.acquire("name").catch((error: unknown) => error);
  await new Promise((resolve) => setTimeout(resolve, 200));
  await locks.close();
  console.log(JSON.stringify({ held: 0, codes: [((await waiting) as { code?: string }).code] }));
} else if (mode === "released") {
  const lock = await locks.acquire("name");
  await lock.release();
  await locks.close();
  console.log(JSON.stringify({ held: 0, codes: [] }));
}
