import { withDelays } from "./generate-delays.js";
import type { Shape } from "./generate-faults.js";
import { isPlain } from "./generate-requests.js";
import { hashText, seededRandom, type Random } from "./random.js";
import type { NodeChange, Scenario } from "./scenario.js";

/** Short, so that the longest of them is waited for several times in a run. */
export const TTLS_OF_CHANGES_MS = [200, 300, 500, 1_000];

/** It is on every list, and never loses its data: otherwise all nodes of a list might have, within one lease. */
const KEPT = 0;

const STEPS = [["+"], ["-"], ["+", "+"], ["-", "-"], ["+", "-"], ["-", "+"]] as const;

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
    const longestMs = random.oneOf([50, 500, 1_500]);
    return {
      atMs: random.below(chaosMs / 2) * (index + 1) * 0.5,
      nodes: list,
      afterMs: clients.map(() => random.below(longestMs)),
      isKilled: clients.map(() => random.chance(50)),
      waitMs: options.maxTtlMs,
    };
  });
  const most = nodes.length;
  return {
    ...made,
    nodeChanges: { first, changes },
    faults: faults.filter((fault) => {
      const forgets =
        fault.kind === "forget" || (fault.kind === "crash" && fault.mode !== "persisted");
      return !forgets || fault.node !== KEPT;
    }),
    // Whichever list a client has, it has a quorum of it, even if none but one of many nodes is away.
    core: coreOf(random, most, [first, ...lists]),
  };
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
