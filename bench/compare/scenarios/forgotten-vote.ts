import { setTimeout as sleep } from "node:timers/promises";
import type { FleetNode } from "../../../src/testing/index.js";
import type { ClientOptions } from "../client-options.js";
import { waitFor } from "../observe/settle.js";
import { LOCK_NAME, Stage } from "../observe/stage.js";
import { tryFor } from "../observe/try-for.js";
import { relativeTo, span } from "../observe/words.js";
import type { Subject } from "../subjects/subject.js";
import type { Observation, Scenario } from "./scenario.js";

const NODE_COUNT = 3;

/** What makes one node give up a lock that it had granted. */
interface Loss {
  readonly isOnAllNodes: boolean;
  readonly hasClock: boolean;
  readonly strike: (node: FleetNode, ttlMs: number) => Promise<void>;
}

const SECOND =
  "A client that starts then tries to get the lock, ten times a second, for one ttl. If it does, it is waited for the first holder to be told, one and a half ttls at most.";
const ON_TWO =
  "A routine holds a lock that stands on 2 of 3 nodes (its key is deleted on the third, as if it had never got there).";
const GOOD = "no second holder before the first is told";

/** A node forgets a lock that it had granted, and one more node would grant it. */
export const restartEmpty = forgottenVote(
  { isOnAllNodes: false, hasClock: false, strike: (node) => node.restart({ keepData: false }) },
  {
    id: "restart-empty",
    title: "A node restarts empty under a held lock",
    setUp: `${ON_TWO} One of the 2 is killed and restarted empty; what is left is 1 of 3. ${SECOND}`,
    note: "Quorate keeps a node that forgot from voting for its `maxTtlMs`. The description of Redlock asks operators to delay such a restart by a ttl.",
  },
);

const jump = async (node: FleetNode, ttlMs: number): Promise<void> => node.clock.jump(2 * ttlMs);

/** The key expires early on a minority: the majority still has it. */
export const clockJump = forgottenVote(
  { isOnAllNodes: true, hasClock: true, strike: jump },
  {
    id: "clock-jump",
    title: "The clock of one node jumps ahead",
    setUp: `A routine holds a lock that stands on 3 of 3 nodes. The clock of one of them is set 2 ttls ahead, so that its key expires. ${SECOND}`,
  },
);

/** The key expires early on a node that the majority needs. */
export const clockJumpOfTwo = forgottenVote(
  { isOnAllNodes: false, hasClock: true, strike: jump },
  {
    id: "clock-jump-2-of-3",
    title: "The clock of a node jumps ahead, with the lock on 2 of 3",
    setUp: `${ON_TWO} The clock of one of the 2 is set 2 ttls ahead, so that its key expires. ${SECOND}`,
    note: "No lock with an expiry can hold here: what is left is a fencing token, which only Quorate hands out, and how soon the first holder is told.",
  },
);

type Words = Pick<Scenario, "id" | "title" | "setUp" | "note">;

function forgottenVote(loss: Loss, words: Words): Scenario {
  return {
    ...words,
    good: GOOD,
    ttlMs: 10_000,
    limitMs: (ttlMs) => 3 * ttlMs,
    run: (subject, ttlMs, options) => loseVote(loss, subject, ttlMs, options),
  };
}

async function loseVote(
  { isOnAllNodes, hasClock, strike }: Loss,
  subject: Subject,
  ttlMs: number,
  options: ClientOptions,
): Promise<Observation> {
  const stage = await Stage.open(subject, options, NODE_COUNT, { clock: hasClock });
  let toldMs: number | undefined;
  await new Promise<void>((resolve, reject) => {
    const hold = stage.client.hold(LOCK_NAME, ttlMs, async (held) => {
      held.onLost(() => (toldMs = performance.now()));
      // The third node may still be on its way beyond the quorum.
      await sleep(50);
      resolve();
      // To the end of the process.
      await sleep(10 * ttlMs);
    });
    hold.catch(reject);
  });
  const [, forgetful, third] = stage.nodes;
  if (!isOnAllNodes) await third?.command("DEL", stage.keyOf());
  if (forgetful !== undefined) await strike(forgetful, ttlMs);
  const startMs = performance.now();
  const second = await tryFor(await stage.another(), ttlMs, () => performance.now() - startMs);
  if (second.grantedAfterMs !== undefined) await waitFor(() => toldMs !== undefined, 1.5 * ttlMs);
  const toldAfterMs = toldMs === undefined ? undefined : toldMs - startMs;
  return {
    cell: words(second.grantedAfterMs, toldAfterMs, ttlMs),
    facts: { ...second, firstToldAfterMs: toldAfterMs },
  };
}

function words(grantedMs: number | undefined, toldMs: number | undefined, ttlMs: number): string {
  if (grantedMs === undefined) {
    return toldMs === undefined
      ? "no second holder; the first keeps the lock"
      : `no second holder; the first is told of its loss after ${span(toldMs)}`;
  }
  if (toldMs !== undefined && toldMs < grantedMs) {
    const later = span(grantedMs - toldMs);
    return `the first is told of its loss after ${span(toldMs)}; a second holder ${later} later`;
  }
  const told =
    toldMs === undefined
      ? `not told in the ${span(1.5 * ttlMs)} after that`
      : `told ${relativeTo(toldMs, grantedMs, "that")}`;
  return `a second holder after ${span(grantedMs)}; the first is ${told}`;
}
