import { setTimeout as sleep } from "node:timers/promises";
import type { KeySample } from "../observe/key-observer.js";
import { settleWithin, waitFor } from "../observe/settle.js";
import { LOCK_NAME, Stage } from "../observe/stage.js";
import { relativeTo, span } from "../observe/words.js";
import { CLIENT_NOTE, type NodeFault } from "./node-fault.js";
import type { Scenario } from "./scenario.js";

const NODE_COUNT = 3;
const QUORUM = 2;
const HELD_FOR_TTLS = 3;
const RETURN_LIMIT_MS = 15_000;

/** One of three nodes fails while a lock is held and extended automatically. */
export function minorityHold({ word, how, strike }: NodeFault): Scenario {
  return {
    id: `one-${word}-hold`,
    title: `One node of three ${word}: a held lock`,
    setUp: `A routine runs under a lock on 3 nodes. After 1 s one node is ${how}. The routine continues for 3 ttls, or until it is notified that the lock is lost. The keys on the other two nodes are observed.`,
    good: "kept: the majority works, so the lock can be extended",
    note: CLIENT_NOTE,
    ttlMs: 10_000,
    isClientSensitive: true,
    isTtlSensitive: true,
    limitMs: (ttlMs) => HELD_FOR_TTLS * ttlMs + RETURN_LIMIT_MS,
    run: async (subject, ttlMs, options) => {
      const stage = await Stage.open(subject, options, NODE_COUNT);
      const observer = stage.observe(stage.nodes.slice(0, -1));
      const node = stage.nodes.at(-1);
      const routineMs = HELD_FOR_TTLS * ttlMs;
      let startMs = 0;
      let endMs = 0;
      let toldMs: number | undefined;
      const hold = stage.client.hold(LOCK_NAME, ttlMs, async (held) => {
        startMs = performance.now();
        held.onLost(() => (toldMs = performance.now()));
        observer.watch(25);
        await sleep(1_000);
        if (node !== undefined) await strike(node);
        await waitFor(() => toldMs !== undefined, routineMs - (performance.now() - startMs));
        observer.stop();
        endMs = performance.now();
      });
      hold.catch(() => {});
      await waitFor(() => endMs > 0, routineMs + 5_000);
      const returned = await settleWithin(() => hold, RETURN_LIMIT_MS - 5_000);
      const goneMs = quorumGoneAtMs(observer.samples);
      const facts = {
        keysGoneAfterMs: goneMs === undefined ? undefined : goneMs - startMs,
        toldAfterMs: toldMs === undefined ? undefined : toldMs - startMs,
        watchedMs: endMs - startMs,
        return: returned.kind,
        returnAfterMs: returned.afterMs,
      };
      const back = returnWords(returned.kind, returned.afterMs);
      return { cell: keptWords(startMs, endMs, goneMs, toldMs) + back, facts };
    },
  };
}

/** When fewer nodes than a quorum had the holder's value for the first time. */
function quorumGoneAtMs(samples: readonly KeySample[]): number | undefined {
  const ownerId = samples[0]?.values[0];
  const gone = samples.find(
    ({ values }) => values.filter((value) => value === ownerId).length < QUORUM,
  );
  return gone?.atMs;
}

function keptWords(
  startMs: number,
  endMs: number,
  goneMs: number | undefined,
  toldMs: number | undefined,
): string {
  if (goneMs === undefined) {
    if (toldMs === undefined) return `kept for ${span(endMs - startMs)}`;
    return `notified of a loss after ${span(toldMs - startMs)}, the keys still there`;
  }
  const gone = `keys gone after ${span(goneMs - startMs)}`;
  if (toldMs !== undefined) return `${gone}; notified ${relativeTo(toldMs, goneMs, "that")}`;
  return `${gone}; not notified within ${span(endMs - goneMs)} after that`;
}

function returnWords(kind: string, afterMs: number): string {
  if (kind === "pending") return `; does not return in the ${span(afterMs)} after its routine`;
  return afterMs > 1_000 ? `; returns ${span(afterMs)} after its routine` : "";
}
