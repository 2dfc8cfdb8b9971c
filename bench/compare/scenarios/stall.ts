import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { waitFor } from "../observe/settle.js";
import { LOCK_NAME, Stage } from "../observe/stage.js";
import { span } from "../observe/words.js";
import type { Scenario } from "./scenario.js";

const NODE_COUNT = 3;
const TOLD_LIMIT_MS = 5_000;

/** The event loop is blocked until the lock has expired; then the routine checks and writes. */
export const stall: Scenario = {
  id: "stall",
  title: "Event loop blocked past the ttl",
  setUp:
    "A routine under a lock on 3 nodes blocks its event loop for 1.5 ttls. The first statement after that is the check that the library documents for critical steps (`lock.assertHeld()`, `signal.aborted`, `mutex.isAcquired`); the next one would write.",
  good: "the check reports that the lock is lost",
  note: "A signal, including Quorate's, can only abort when the event loop runs again. Quorate's check reads the clock. @sesamecare-oss/redlock also passes a `context.lock` to the routine, whose `expiration` it could compare with the clock.",
  ttlMs: 2_000,
  limitMs: (ttlMs) => 2 * ttlMs + TOLD_LIMIT_MS + 10_000,
  run: async (subject, ttlMs, options) => {
    const stage = await Stage.open(subject, options, NODE_COUNT);
    const observer = stage.observe();
    let facts: Facts | undefined;
    const hold = stage.client.hold(LOCK_NAME, ttlMs, async (held) => {
      let toldMs: number | undefined;
      held.onLost(() => (toldMs = performance.now()));
      await sleep(200);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1.5 * ttlMs);
      const saysHeldAtOnce = held.isHeld();
      const stallEndMs = performance.now();
      const { values } = await observer.sample();
      const saysHeldAfterIo = held.isHeld();
      await nextTurn();
      await waitFor(() => toldMs !== undefined, TOLD_LIMIT_MS);
      facts = {
        saysHeldAtOnce,
        saysHeldAfterIo,
        nodesWithKeyAfter: values.filter((value) => value !== null).length,
        toldAfterMs: toldMs === undefined ? undefined : toldMs - stallEndMs,
      };
    });
    hold.catch(() => {});
    await waitFor(() => facts !== undefined, 2 * ttlMs + TOLD_LIMIT_MS + 5_000);
    if (facts === undefined) throw new Error("the routine did not end");
    return { cell: words(facts), facts: { ...facts } };
  },
};

interface Facts {
  readonly saysHeldAtOnce: boolean;
  readonly saysHeldAfterIo: boolean;
  readonly nodesWithKeyAfter: number;
  readonly toldAfterMs: number | undefined;
}

function words({ saysHeldAtOnce, toldAfterMs }: Facts): string {
  if (!saysHeldAtOnce) return "the check reports lost";
  const told =
    toldAfterMs === undefined
      ? `not notified within ${span(TOLD_LIMIT_MS)}`
      : `notified ${span(toldAfterMs)} later`;
  return `the check reports held; ${told}`;
}
