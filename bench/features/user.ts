// Another process, which uses a feature for as long as it runs. Forked by run.ts.
import { LockManager } from "../../src/index.js";
import { serve } from "../process/serve.js";
import type { Feature } from "./plan.js";

export interface UserJob {
  readonly urls: readonly string[];
  readonly feature: Feature;
  readonly ownNames: readonly string[];
}

/** Of a thousand. */
const HELD_PERMITS = 100;

/** @returns once it is in use */
serve(async ({ urls, feature, ownNames }: UserJob): Promise<void> => {
  const locks = new LockManager(urls, { ttlMs: 60_000 });
  await locks.ready({ all: true });
  const observe = async (name: string): Promise<void> => {
    const observer = locks.observe(name);
    await observer.next();
    void (async () => {
      for await (const _ of observer);
    })();
  };
  if (feature === "another name observed") await observe("another");
  else if (feature === "own name observed") await Promise.all(ownNames.map(observe));
  else if (feature === "another name with a value")
    await locks.acquire("another", { value: "10.0.0.1:80" });
  else if (feature === "permits held") {
    const semaphore = locks.semaphore("another", { permits: 1_000 });
    await Promise.all(Array.from({ length: HELD_PERMITS }, () => semaphore.acquire()));
  }
});
