/**
 * Run as a process: locks a name with the package redlock, or releases it, as it reads from its
 * input, and writes what came of it.
 */
import { createInterface } from "node:readline";
import { Redis } from "ioredis";
import { REDLOCKS, shownError } from "./redlocks.js";

const urls = JSON.parse(process.env["URLS"] ?? "[]") as string[];
const clients = urls.map((url) => new Redis(url));
const redlock = new REDLOCKS.redlock.default(clients, { retryCount: 0 });
let held: { release(): Promise<unknown> } | undefined;

for await (const command of createInterface({ input: process.stdin })) {
  try {
    if (command === "acquire") held = await redlock.acquire(["name"], 20_000);
    else await held?.release();
    console.log(command === "acquire" ? "granted" : "released");
  } catch (error) {
    console.log(shownError(error));
  }
}
await redlock.quit();
