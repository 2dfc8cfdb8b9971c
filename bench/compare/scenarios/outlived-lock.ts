import { setTimeout as sleep } from "node:timers/promises";
import { errorName, settleWithin, waitFor, type Settled } from "../observe/settle.js";
import { Stage } from "../observe/stage.js";
import { span } from "../observe/words.js";
import type { Scenario } from "./scenario.js";

const NODE_COUNT = 3;
const RESULT = "result of the routine";
const RETURN_LIMIT_MS = 10_000;

/** A routine ends after its lock was lost: does the caller learn its result? */
export const outlivedLock: Scenario = {
  id: "outlived-lock",
  title: "A routine outlives its lock",
  setUp:
    "The keys of a held lock are deleted on all 3 nodes. The routine ends 0.2 s after it is notified, or after 3 ttls if it is not: once with a result, once with its own error. The question is what the caller gets.",
  good: "the loss, together with the routine's result or error",
  note: "redis-semaphore has no function that runs a routine, so this uses `acquire`, `try` and `finally release()`, as in its README, with `onLockLost` set. Without it, a loss is, as documented, an unhandled LostLockError, which ends the process. After a loss, Quorate waits `lossGraceMs` (1 s by default) for the routine; a later result is not reported.",
  ttlMs: 2_000,
  limitMs: (ttlMs) => 3 * ttlMs + RETURN_LIMIT_MS + 1_000,
  run: async (subject, ttlMs, options) => {
    const stage = await Stage.open(subject, options, NODE_COUNT);
    const ownError = new RangeError("the routine's own error");
    const [result, error] = await Promise.all([
      outlive(stage, "returns", ttlMs, () => RESULT),
      outlive(stage, "throws", ttlMs, () => {
        throw ownError;
      }),
    ]);
    const ofResult = resultWords(result.settled) + laterWords(result.lateMs);
    const ofError = errorWords(error.settled, ownError) + laterWords(error.lateMs);
    return {
      cell: `result: ${ofResult}; error: ${ofError}`,
      facts: {
        result: resultWords(result.settled),
        resultLateMs: result.lateMs,
        error: errorWords(error.settled, ownError),
        errorLateMs: error.lateMs,
      },
    };
  },
};

interface Outlived {
  readonly settled: Settled<string>;
  /** When the caller had the result, after the end of the routine. */
  readonly lateMs: number;
}

async function outlive(
  stage: Stage,
  name: string,
  ttlMs: number,
  end: () => string,
): Promise<Outlived> {
  let endMs = Number.POSITIVE_INFINITY;
  const call = (): Promise<string> =>
    stage.client.hold(name, ttlMs, async (held) => {
      let isTold = false;
      held.onLost(() => (isTold = true));
      await sleep(200);
      await Promise.all(stage.nodes.map((node) => node.command("DEL", stage.keyOf(name))));
      await waitFor(() => isTold, 3 * ttlMs - 400);
      await sleep(200);
      endMs = performance.now();
      return end();
    });
  const settled = await settleWithin(call, 3 * ttlMs + RETURN_LIMIT_MS);
  return { settled, lateMs: performance.now() - endMs };
}

function resultWords(settled: Settled<string>): string {
  if (settled.kind === "pending") return "the call does not settle";
  if (settled.kind === "resolved") return "returned, loss not reported";
  const { error } = settled;
  const isCarried = error instanceof Error && "result" in error && error.result === RESULT;
  return carriedWords(error, isCarried);
}

function errorWords(settled: Settled<string>, ownError: Error): string {
  if (settled.kind === "pending") return "the call does not settle";
  if (settled.kind === "resolved") return "swallowed";
  const { error } = settled;
  if (error === ownError) return "thrown, loss not reported";
  return carriedWords(error, error instanceof Error && error.cause === ownError);
}

function carriedWords(error: unknown, isCarried: boolean): string {
  return isCarried ? `reported with ${errorName(error)}` : `replaced by ${errorName(error)}`;
}

function laterWords(lateMs: number): string {
  return lateMs > 500 ? ` ${span(lateMs)} later` : "";
}
