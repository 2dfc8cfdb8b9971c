import { expect } from "chai";
import { generateScenario } from "../../sim/generate.js";
import type { OracleId } from "../../sim/oracles/history.js";
import type { NodeChanges, Scenario } from "../../sim/scenario.js";
import { simulate } from "../../sim/simulate.js";
import { twoNodesRemoved } from "../mutants/scenarios/channel.js";

/** The first in which a wrong step shows are 25 and 74. */
const SEEDS = Array.from({ length: 100 }, (_, index) => index + 20);

/** Which of the oracles notice if operators do something else; runs in which that is not possible are left out. */
async function noticed(
  ids: readonly OracleId[],
  otherwise: (changes: NodeChanges, scenario: Scenario) => NodeChanges | undefined,
): Promise<OracleId[]> {
  for (const seed of SEEDS) {
    const scenario = generateScenario(seed, "nodes");
    const nodeChanges = scenario.nodeChanges && otherwise(scenario.nodeChanges, scenario);
    if (nodeChanges === undefined) continue;
    const { violations } = await simulate({ ...scenario, nodeChanges }, { oracles: ids });
    if (violations.length > 0) return violations.map(({ id }) => id);
  }
  return [];
}

/** Without the list in between, where that is wrong. */
function straightToTheLast(
  isWrong: (first: readonly number[], last: readonly number[]) => boolean,
): (changes: NodeChanges) => NodeChanges | undefined {
  return ({ first, changes }) => {
    const [one, last] = changes;
    if (one === undefined || last === undefined || !isWrong(first, last.nodes)) return undefined;
    return { first, changes: [{ ...one, nodes: last.nodes }] };
  };
}

describe("changing the list of nodes in the simulator", () => {
  it("F1: tokens grow although two nodes go one after the other, and those that stay knew none", async () => {
    const { violations, history } = await simulate(twoNodesRemoved);
    const tokens = history.events.flatMap((event) => (event.kind === "grant" ? event.token : []));
    expect(tokens).to.have.lengthOf(2);
    expect(violations).to.deep.equal([]);
  });

  it("breaks S2 if two nodes are added or removed at once", async () => {
    const atOnce = straightToTheLast((first, last) => Math.abs(first.length - last.length) === 2);
    expect(await noticed(["S2"], atOnce)).to.include("S2");
  });

  it("breaks S2 if a node is replaced by another in one step", async () => {
    const swapped = straightToTheLast((first, last) => {
      return first.length === last.length && last.some((node) => !first.includes(node));
    });
    expect(await noticed(["S2"], swapped)).to.include("S2");
  });

  for (const [how, waitMs, ids] of [
    ["keeps D1 over two changes", 1_000, []],
    ["breaks D1 if nobody waits for the longest ttl between them", 0, ["D1"]],
  ] as const) {
    it(how, async () => {
      const { nodeChanges, options, ...rest } = twoNodesRemoved;
      const [one, other] = nodeChanges?.changes ?? [];
      if (one === undefined || other === undefined) throw new Error("two changes are wanted");
      const changes = [
        { ...one, waitMs },
        { ...other, atMs: 550 },
      ];
      const scenario: Scenario = {
        ...rest,
        options: { ...options, maxTtlMs: 1_000, lockDelayMs: 400 },
        workload: rest.workload.map((each) => (each.client === 1 ? { ...each, atMs: 650 } : each)),
        faults: rest.faults.map((each) => ({ ...each, atMs: each.atMs === 3_500 ? 570 : 350 })),
        nodeChanges: { first: nodeChanges?.first ?? [], changes },
      };
      const { violations } = await simulate(scenario);
      expect([...new Set(violations.map(({ id }) => id))]).to.deep.equal(ids);
    });
  }
});
