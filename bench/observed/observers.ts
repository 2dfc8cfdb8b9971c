// The process that observes a name. Forked by run.ts.
import { LockManager } from "../../src/index.js";
import { cpuClock } from "../process/cpu-clock.js";
import { serve } from "../process/serve.js";
import type { ObservedCase } from "./plan.js";

export type ObserversQuestion =
  | ({
      readonly kind: "observe";
      readonly urls: readonly string[];
      readonly name: string;
    } & ObservedCase)
  | { readonly kind: "used" };

/** Since the question before. */
export interface ObserversAnswer {
  readonly cpuUs: number;
  /** Of all loops together. */
  readonly shownCount: number;
}

const cpuUs = cpuClock();
let shownCount = 0;

serve(async (question: ObserversQuestion): Promise<ObserversAnswer> => {
  if (question.kind === "observe") await observe(question);
  const shown = shownCount;
  shownCount = 0;
  return { cpuUs: cpuUs(), shownCount: shown };
});

async function observe(question: ObserversQuestion & { kind: "observe" }): Promise<void> {
  const { urls, name, managerCount, loopCount } = question;
  // One after the other: all at once would have to wait for each other's handshakes.
  for (let at = 0; at < managerCount; at++) {
    const locks = new LockManager(urls);
    await locks.ready({ all: true, timeoutMs: 60_000 });
    const observers = Array.from({ length: loopCount }, () => locks.observe(name));
    await Promise.all(observers.map((observer) => observer.next()));
    for (const observer of observers) {
      void (async () => {
        for await (const _ of observer) shownCount++;
      })();
    }
  }
}
