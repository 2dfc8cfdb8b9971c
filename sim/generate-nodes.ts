import { withDelays } from "./generate-delays.js";
import type { Shape } from "./generate-faults.js";
import { isPlain } from "./generate-requests.js";
import { RESTARTED } from "./operator.js";
import { hashText, seededRandom, shuffled, type Random } from "./random.js";
import type { Fault, NodeChange, Scenario, Session } from "./scenario.js";

/** Short, so that the longest of them is waited for several times in a run. */
export const TTLS_OF_CHANGES_MS = [200, 200, 300, 500, 1_000];

/** It is on every list, and never loses its data: otherwise all nodes of a list might have, within one lease. */
const KEPT = 0;

const STEPS = [["+"], ["-"], ["+", "+"], ["-", "-"], ["-", "-"], ["+", "-"], ["-", "+"]] as const;

/** Lists of nodes, each with one more or one fewer than the one before, as far as there are any to remove. */
export function generateLists(random: Random): readonly (readonly number[])[] {
  const count = random.oneOf([1, 2, 3, 3, 3, 3, 4, 4, 5, 5]);
  let list = Array.from({ length: count }, (_, node) => node);
  const lists = [list];
  for (const step of random.oneOf(STEPS)) {
    const all = [...new Set(lists.flat())];
    const removable = list.filter((node) => node !== KEPT);
    if (step === "-" && removable.length > 0) {
      const gone = random.oneOf(removable);
      list = list.filter((node) => node !== gone);
    } else {
      // A server that was removed before may come back, empty.
      const used = all.filter((node) => !list.includes(node));
      const added = used.length > 0 && random.chance(50) ? random.oneOf(used) : all.length;
      list = [...list, added];
    }
    lists.push(list);
  }
  return lists;
}

/** The same scenario while the list of nodes is changed, client by client. */
export function withChanges(
  scenario: Scenario,
  [first = [], ...lists]: readonly (readonly number[])[],
): Scenario {
  const random = seededRandom(hashText(scenario.seed, "changes of nodes"));
  const mayDelay = scenario.workload.every(isPlain) && random.chance(75);
  const made = mayDelay ? withDelays(scenario) : scenario;
  const { chaosMs, clients, nodes, faults, options } = made;
  const changes = lists.map((list, index): NodeChange => {
    const longestMs = random.oneOf([50, 1_000, 2_000, 3_000]);
    return {
      atMs: Math.floor(chaosMs * (0.2 + 0.4 * index)) + random.below(chaosMs / 5),
      nodes: list,
      afterMs: clients.map(() => random.below(longestMs)),
      isKilled: clients.map(() => random.chance(50)),
      waitMs: options.maxTtlMs,
    };
  });
  const most = nodes.length;
  const blind = random.chance(60) ? blindSpots(random, chaosMs, first, changes) : [];
  const remembered = [...faults, ...blind].filter(
    (fault) => !isForgetful(fault) || fault.node !== KEPT,
  );
  const isOff = !remembered.some(isForgetful) && random.chance(50);
  return {
    ...made,
    nodes: isOff
      ? nodes.map((node) => ({ ...node, wallOffsetMs: random.between(-500_000, 500_000) }))
      : nodes,
    nodeChanges: { first, changes },
    workload: [...made.workload, ...changes.flatMap((each) => rivals(random, made, each))].toSorted(
      (a, b) => a.atMs - b.atMs,
    ),
    faults: remembered.toSorted((a, b) => a.atMs - b.atMs),
    // Whichever list a client has, it has a quorum of it, even if none but one of many nodes is away.
    core: coreOf(random, most, [first, ...lists]),
  };
}

/** Whoever is replaced last holds a name as long as it can; those that have the new list already ask for it. */
function rivals(
  random: Random,
  { workload: [like], clients }: Scenario,
  { atMs, afterMs }: NodeChange,
): Session[] {
  if (like === undefined) return [];
  const begun = clients.map(({ startMs }, client) =>
    startMs < atMs ? (afterMs[client] ?? 0) : -1,
  );
  const lastMs = Math.max(...begun);
  const last = begun.indexOf(lastMs);
  const others = clients.flatMap((_, client) => (client === last ? [] : [client]));
  const base = { ...like, writeCount: 1, extendCount: 0, release: "once" as const };
  const held = { atMs: Math.max(0, atMs - 100), client: last, waitMs: 500, holdMs: lastMs + 200 };
  return [
    { ...base, ...held },
    ...others.flatMap((client) =>
      Array.from({ length: random.between(1, 4) }, () => ({
        ...{ ...base, client, waitMs: random.oneOf([0, 300, 1_000]), holdMs: 20 },
        atMs: atMs + (afterMs[client] ?? 0) + random.below(Math.max(1, lastMs)),
      })),
    ),
  ];
}

/** A new deployment is open by then, ms. */
const OPENED_MS = 300;

/**
 * Each client does without as many nodes of its list as it can, so its locks are on an exact quorum; but for the one that
 * has to see all of them.
 */
function blindSpots(
  random: Random,
  chaosMs: number,
  first: readonly number[],
  changes: readonly NodeChange[],
): Fault[] {
  const clients = changes[0]?.afterMs.keys() ?? [];
  return [...clients].flatMap((client) => {
    if (client === RESTARTED) return [];
    const beginsMs = changes.map(({ atMs, afterMs }) => atMs + (afterMs[client] ?? 0));
    return [first, ...changes.map(({ nodes }) => nodes)].flatMap((list, at) => {
      const atMs = beginsMs[at - 1] ?? OPENED_MS;
      const forMs = Math.max(1, (beginsMs[at] ?? chaosMs) - atMs);
      const count = Math.ceil(list.length / 2) - 1;
      const away = shuffled(random, list.length).slice(0, count);
      return away.map((which): Fault => {
        const node = list[which] ?? KEPT;
        return { kind: "partition", atMs, client, node, way: "both", forMs };
      });
    });
  });
}

type Forgetful = Extract<Fault, { kind: "forget" | "crash" }>;

function isForgetful(fault: Fault): fault is Forgetful {
  return fault.kind === "forget" || (fault.kind === "crash" && fault.mode !== "persisted");
}

function coreOf(
  random: Random,
  nodeCount: number,
  lists: readonly (readonly number[])[],
): readonly number[] {
  const all = Array.from({ length: nodeCount }, (_, node) => node);
  const spare = all.filter((node) =>
    lists.every((list) => !list.includes(node) || list.length >= 3),
  );
  if (spare.length === 0) return all;
  const away = random.oneOf(spare);
  return all.filter((node) => node !== away);
}

/** How many servers there are, listed or not. */
export function serverCountOf(lists: readonly (readonly number[])[]): Shape["nodeCount"] {
  return Math.max(...lists.flat()) + 1;
}
