import { expect } from "chai";
import * as fc from "fast-check";
import { parseArguments } from "../../chaos/arguments.js";
import { NODE_FAULTS, cutsOf, forgetsOn, type Fault } from "../../chaos/nemesis/faults.js";
import { planOf } from "../../chaos/nemesis/plan.js";
import { linkedSeats, minorityOf, type CampaignSettings } from "../../chaos/settings.js";

const settings = fc
  .record({
    seed: fc.nat(),
    nodes: fc.integer({ min: 3, max: 7 }),
    minutes: fc.constantFrom("0.3", "2"),
  })
  .map(({ seed, nodes, minutes }) => {
    const args = `--seed ${seed} --nodes ${nodes} --minutes ${minutes}`;
    return parseArguments(args.split(" ")).orders[0].settings;
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

  it("lets no clock gain more than the margin within a lease, and steps minorities and quorums", () => {
    const counts = new Set<boolean>();
    fc.assert(
      fc.property(settings, (given) => {
        const { ttlMs, clockStepMs, nodeCount } = given;
        const plan = planOf(given);
        const steps = plan.filter(({ kind }) => kind === "clockStep");
        const rates = plan.filter(({ kind }) => kind === "clockRate" || kind === "clockSlew");
        for (const { amount, atMs, forMs, nodes } of steps) {
          counts.add(nodes.length <= minorityOf(nodeCount));
          const gained = nodes.map((node) =>
            rates
              .filter((rate) => rate.nodes[0] === node)
              .map((rate) => {
                // Any stretch of a lease around the step: whole spells, one way, as an upper bound.
                const nearMs =
                  Math.min(rate.atMs + rate.forMs, atMs + ttlMs) -
                  Math.max(rate.atMs, atMs - ttlMs);
                return Math.max(0, nearMs) * Math.abs(rate.amount - 1);
              })
              .reduce((sum, each) => sum + each, 0),
          );
          expect(amount + Math.max(...gained)).to.be.at.most(clockStepMs);
          const next = steps.filter(
            (other) => other.atMs > atMs && other.nodes.some((node) => nodes.includes(node)),
          );
          for (const other of next) expect(other.atMs).to.be.at.least(atMs + forMs + ttlMs);
        }
      }),
      { numRuns: 60 },
    );
    expect([...counts]).to.have.members([true, false]);
  });

  it("cuts off clients that have links of their own, each from one set of nodes at a time", () => {
    fc.assert(
      fc.property(settings, (given) => {
        const cuts = planOf(given).flatMap((fault) =>
          cutsOf(fault).map((cut) => ({
            ...cut,
            atMs: fault.atMs,
            toMs: fault.atMs + fault.forMs,
          })),
        );
        for (const { client, nodes, atMs, toMs } of cuts) {
          expect(linkedSeats(given.clientCount)).to.include(client);
          expect(nodes).to.not.deep.equal([]);
          const later = cuts.filter((other) => other.client === client && other.atMs > atMs);
          for (const other of later) expect(other.atMs).to.be.above(toMs);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("leaves both clients of a split a quorum, and no more nodes in common than they must have", () => {
    fc.assert(
      fc.property(settings, (given) => {
        const { nodeCount } = given;
        for (const fault of planOf(given).filter(({ kind }) => kind === "split")) {
          const [a, b] = cutsOf(fault).map(({ nodes }) => new Set(nodes));
          const all = Array.from({ length: nodeCount }, (_, node) => node);
          expect(fault.client).to.not.equal(fault.rival);
          expect(a?.size).to.equal(minorityOf(nodeCount));
          expect(b?.size).to.equal(minorityOf(nodeCount));
          const common = all.filter((node) => a?.has(node) === false && b?.has(node) === false);
          expect(common).to.have.length(nodeCount % 2 === 1 ? 1 : 2);
        }
      }),
      { numRuns: 60 },
    );
  });
});
