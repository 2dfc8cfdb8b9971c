import { setTimeout as sleep } from "node:timers/promises";
import type { FleetNode } from "../../../src/testing/index.js";
import type { ClientOptions } from "../client-options.js";
import { waitFor } from "../observe/settle.js";
import { LOCK_NAME, Stage } from "../observe/stage.js";
import { tryFor } from "../observe/try-for.js";
import { relativeTo, span } from "../observe/words.js";
import type { Subject } from "../subjects/subject.js";
import type { Observation, Scenario } from "./scenario.js";

const TTL_MS = 10_000;

/** How many of the first nodes store the lock, and how many of those, from the last, the fault hits. */
interface Stands {
  readonly nodeCount: number;
  readonly on: number;
  readonly struck: number;
}

const ON_ALL_OF_THREE: Stands = { nodeCount: 3, on: 3, struck: 1 };
const ON_TWO_OF_THREE: Stands = { nodeCount: 3, on: 2, struck: 1 };
const ON_ONLY: Stands = { nodeCount: 1, on: 1, struck: 1 };

/** The fault that makes nodes lose a lock that they had granted. */
interface Loss {
  readonly stands: Stands;
  readonly ttlMs: number;
  readonly hasClock: boolean;
  readonly strike: (node: FleetNode, ttlMs: number) => Promise<void>;
}

const SECOND =
  "Then a new client tries to get the lock, ten times a second, for one ttl. If it succeeds, the run waits until the first holder is notified, at most one and a half ttls.";
const ON_TWO =
  "A routine holds a lock on 2 of 3 nodes (its key is deleted on the third, as if it had never arrived).";
const GOOD = "no second holder before the first is notified";

/** A node loses a lock that it had granted, and one more node would grant the lock. */
export const restartEmpty = forgottenVote(
  {
    stands: ON_TWO_OF_THREE,
    ttlMs: TTL_MS,
    hasClock: false,
    strike: (node) => node.restart({ keepData: false }),
  },
  {
    id: "restart-empty",
    title: "A node restarts empty under a held lock",
    setUp: `${ON_TWO} One of the 2 is killed and restarted empty, which leaves the lock on 1 of 3. ${SECOND}`,
    note: "In Quorate, a node that lost its data does not vote for `maxTtlMs`. The Redlock specification asks operators to delay such a restart by a ttl.",
  },
);

/**
 * Longer than the locks of these rows, so that keys that live as long as their lock end at once; shorter than what
 * Quorate allows for by default (`clockStepMs`, 5 s).
 */
const STEP_MS = 4_000;
const STEPPED_TTL_MS = 3_000;
const STEP = `set ${STEP_MS / 1000} s ahead, more than the ttl`;
const ALLOWED =
  "Quorate's keys outlive the lock by `clockStepMs`, 5 s by default, for steps like this one. Waiters of a crashed holder still take over after about one ttl, measured on their own clocks. In the other libraries, keys live as long as the lock.";

const step = async (node: FleetNode): Promise<void> => node.clock.jump(STEP_MS);

/** The key expires early on a minority: the majority still has it. */
export const clockStep = forgottenVote(
  { stands: ON_ALL_OF_THREE, ttlMs: STEPPED_TTL_MS, hasClock: true, strike: step },
  {
    id: "clock-step",
    title: "The clock of one node is stepped forward",
    setUp: `A routine holds a lock on 3 of 3 nodes. The clock of one of them is ${STEP}. ${SECOND}`,
  },
);

/** The key expires early on a node that the majority needs. */
export const clockStepOfTwo = forgottenVote(
  { stands: ON_TWO_OF_THREE, ttlMs: STEPPED_TTL_MS, hasClock: true, strike: step },
  {
    id: "clock-step-2-of-3",
    title: "The clock of a node is stepped forward, with the lock on 2 of 3",
    setUp: `${ON_TWO} The clock of one of the 2 is ${STEP}. ${SECOND}`,
    note: ALLOWED,
  },
);

/** As with a time service that is wrong on all nodes. */
export const clockStepOfAll = forgottenVote(
  {
    stands: { ...ON_ALL_OF_THREE, struck: 3 },
    ttlMs: STEPPED_TTL_MS,
    hasClock: true,
    strike: step,
  },
  {
    id: "clock-step-all",
    title: "The clocks of all nodes are stepped forward",
    setUp: `A routine holds a lock on 3 of 3 nodes. The clocks of all 3 are ${STEP}. ${SECOND}`,
    note: ALLOWED,
  },
);

export const clockStepOfOnly = forgottenVote(
  { stands: ON_ONLY, ttlMs: STEPPED_TTL_MS, hasClock: true, strike: step },
  {
    id: "clock-step-one-node",
    title: "The clock of the only node is stepped forward",
    setUp: `A routine holds a lock on a single node. The clock of that node is ${STEP}. ${SECOND}`,
    note: ALLOWED,
  },
);

/** More than any library allows for by default. */
export const clockJumpOfTwo = forgottenVote(
  {
    stands: ON_TWO_OF_THREE,
    ttlMs: TTL_MS,
    hasClock: true,
    strike: async (node, ttlMs) => node.clock.jump(2 * ttlMs),
  },
  {
    id: "clock-jump-2-of-3",
    title: "The clock of a node jumps far ahead, with the lock on 2 of 3",
    setUp: `${ON_TWO} The clock of one of the 2 is set 2 ttls ahead, which is 20 s. ${SECOND}`,
    note: "This exceeds Quorate's default `clockStepMs` (5 s); with a larger one there is no second holder. Beyond it, what remains is a fencing token, which only Quorate provides, and early notification of the first holder.",
  },
);

type Words = Pick<Scenario, "id" | "title" | "setUp" | "note">;

function forgottenVote(loss: Loss, words: Words): Scenario {
  return {
    ...words,
    good: GOOD,
    ttlMs: loss.ttlMs,
    limitMs: (ttlMs) => 3 * ttlMs,
    run: (subject, ttlMs, options) => loseVote(loss, subject, ttlMs, options),
  };
}

async function loseVote(
  { stands: { nodeCount, on, struck }, hasClock, strike }: Loss,
  subject: Subject,
  ttlMs: number,
  options: ClientOptions,
): Promise<Observation> {
  const stage = await Stage.open(subject, options, nodeCount, { clock: hasClock });
  let toldMs: number | undefined;
  await new Promise<void>((resolve, reject) => {
    const hold = stage.client.hold(LOCK_NAME, ttlMs, async (held) => {
      held.onLost(() => (toldMs = performance.now()));
      // The command to the third node may still be under way.
      await sleep(50);
      resolve();
      // Until the process ends.
      await sleep(10 * ttlMs);
    });
    hold.catch(reject);
  });
  const { nodes } = stage;
  await Promise.all(nodes.slice(on).map((node) => node.command("DEL", stage.keyOf())));
  await Promise.all(nodes.slice(on - struck, on).map((node) => strike(node, ttlMs)));
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
      : `no second holder; the first is notified after ${span(toldMs)}`;
  }
  if (toldMs !== undefined && toldMs < grantedMs) {
    const later = span(grantedMs - toldMs);
    return `the first is notified after ${span(toldMs)}; a second holder ${later} later`;
  }
  const told =
    toldMs === undefined
      ? `not notified within ${span(1.5 * ttlMs)} after that`
      : `notified ${relativeTo(toldMs, grantedMs, "that")}`;
  return `a second holder after ${span(grantedMs)}; the first is ${told}`;
}
