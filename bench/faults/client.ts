// The client of one run: a steady load, and readings of it. Forked by run.ts, with --expose-gc.
import { LockManager } from "../../src/index.js";
import { heapBytes } from "../process/heap.js";
import { serve } from "../process/serve.js";
import { TTL_MS } from "../subjects/subject.js";
import { PacedLoad } from "./paced-load.js";
import type { Look } from "./sample.js";

export type ClientQuestion =
  | { readonly kind: "open"; readonly urls: readonly string[]; readonly cyclesPerSecond: number }
  | { readonly kind: "look" };

let load: PacedLoad | undefined;

serve(async (question: ClientQuestion) => {
  if (question.kind === "look") return load === undefined ? undefined : lookAt(load);
  const locks = new LockManager(question.urls, { ttlMs: TTL_MS });
  await locks.ready();
  load = new PacedLoad(locks, question.cyclesPerSecond);
});

function lookAt(load: PacedLoad): Look {
  const { latenciesMs, failedCount } = load;
  const look = { latenciesMs, failedCount, heapBytes: heapBytes() };
  // Only now: the pause for the collection is not the locks'.
  load.reset();
  return look;
}
