import { expect } from "chai";
import * as fc from "fast-check";
import { parseArguments } from "../../chaos/arguments.js";
import { NODE_FAULTS, forgetsOn, type Fault } from "../../chaos/nemesis/faults.js";
import { planOf } from "../../chaos/nemesis/plan.js";
import { minorityOf, type CampaignSettings } from "../../chaos/settings.js";

const settings = fc
  .record({
    seed: fc.nat(),
    nodes: fc.integer({ min: 3, max: 7 }),
    minutes: fc.constantFrom("0.3", "2"),
  })
  .map(({ seed, nodes, minutes }) => {
    return parseArguments(`--seed ${seed} --nodes ${nodes} --minutes ${minutes}`.split(" "))
      .settings;
  });

/** Nodes that are disturbed, or in quarantine, at an instant. */
function struckAt(
  plan: readonly Fault[],
  atMs: number,
  { maxTtlMs }: CampaignSettings,
): Set<number> {
  const struck = new Set<number>();
  for (const fault of plan) {
    if (!(NODE_FAULTS as readonly string[]).includes(fault.kind) && fault.kind !== "relay")
      continue;
    for (const node of fault.nodes) {
      const isForgetting = forgetsOn(fault, node);
      // The last node of a relay is well until the others are back.
      const fromMs = fault.kind === "relay" && isForgetting ? fault.atMs + fault.forMs : fault.atMs;
      const toMs = fault.atMs + fault.forMs + (isForgetting ? maxTtlMs : 0);
      if (fromMs <= atMs && atMs < toMs) struck.add(node);
    }
  }
  return struck;
}

describe("The plan of a campaign", () => {
  it("is the same for the same seed", () => {
    fc.assert(
      fc.property(settings, (given) => {
        expect(planOf(given)).to.deep.equal(planOf(given));
      }),
      { numRuns: 30 },
    );
  });

  it("strikes at most a minority at once, the quarantine of those that forgot included", () => {
    fc.assert(
      fc.property(settings, (given) => {
        const plan = planOf(given);
        for (const { atMs } of plan) {
          const struck = struckAt(plan, atMs, given);
          expect(struck.size).to.be.at.most(minorityOf(given.nodeCount));
        }
      }),
      { numRuns: 60 },
    );
  });

  it("keeps clocks within their share of the drift, and turns them back to the true time", () => {
    fc.assert(
      fc.property(settings, (given) => {
        const rates = planOf(given).filter(({ kind }) => kind === "clockRate");
        for (const { amount, forMs, atMs, nodes } of rates) {
          expect(Math.abs(amount - 1)).to.be.at.most(given.driftFactor / 2);
          const [node] = nodes;
          const others = rates.filter((other) => other.nodes[0] === node && other.atMs > atMs);
          for (const other of others) expect(other.atMs).to.be.at.least(atMs + forMs);
        }
      }),
      { numRuns: 60 },
    );
  });
});
