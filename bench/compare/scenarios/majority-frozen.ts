import { settleWithin, waitFor } from "../observe/settle.js";
import { LOCK_NAME, Stage } from "../observe/stage.js";
import { relativeTo, span } from "../observe/words.js";
import { CLIENT_NOTE } from "./node-fault.js";
import type { Scenario } from "./scenario.js";

const NODE_COUNT = 3;
const AFTER_END_MS = 20_000;
const RETURN_LIMIT_MS = 10_000;

/** The majority freezes while a lock is held, so that it can no longer be extended. */
export const majorityFrozen: Scenario = {
  id: "majority-frozen",
  title: "Majority frozen while the lock is held",
  setUp:
    "A routine runs under a lock on 3 nodes. At once 2 of them are stopped with SIGSTOP. The result is when the routine is notified of the loss, relative to the end of its ttl, which is counted from the call. The run waits until 20 s after that.",
  good: "notified before the end or at the end: after that, another client may hold the lock",
  note: CLIENT_NOTE,
  ttlMs: 10_000,
  isClientSensitive: true,
  isTtlSensitive: true,
  limitMs: (ttlMs) => ttlMs + AFTER_END_MS + RETURN_LIMIT_MS,
  run: async (subject, ttlMs, options) => {
    const stage = await Stage.open(subject, options, NODE_COUNT);
    let toldMs: number | undefined;
    let isOver = false;
    const endOfTtlMs = performance.now() + ttlMs;
    const hold = stage.client.hold(LOCK_NAME, ttlMs, async (held) => {
      held.onLost(() => (toldMs = performance.now()));
      await Promise.all(stage.nodes.slice(1).map((node) => node.pause()));
      const limitMs = endOfTtlMs + AFTER_END_MS - performance.now();
      await waitFor(() => toldMs !== undefined, limitMs);
      isOver = true;
    });
    hold.catch(() => {});
    await waitFor(() => isOver, ttlMs + AFTER_END_MS);
    const returned = await settleWithin(() => hold, RETURN_LIMIT_MS);
    const facts = {
      toldAfterEndMs: toldMs === undefined ? undefined : toldMs - endOfTtlMs,
      return: returned.kind,
      returnAfterMs: returned.afterMs,
    };
    const told =
      toldMs === undefined
        ? `not notified within ${span(AFTER_END_MS)} after the end`
        : `notified ${relativeTo(toldMs, endOfTtlMs, "the end")}`;
    const back =
      returned.kind === "pending"
        ? `; does not return in the ${span(RETURN_LIMIT_MS)} after its routine`
        : "";
    return { cell: told + back, facts };
  },
};
