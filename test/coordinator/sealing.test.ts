import { expect } from "chai";
import * as fc from "fast-check";
import { Schedule } from "../../src/coordinator/schedule.js";
import { Sealing } from "../../src/coordinator/sealing.js";
import { drawnToken } from "../../src/protocol/fencing.js";
import type { Vote } from "../../src/protocol/operation.js";
import { ManualClock } from "../support/manual-clock.js";
import { ScriptedNode } from "../support/scripted-node.js";
import { fault, free, granted, held } from "../support/votes.js";

const TIMEOUT_MS = 50;

class SealingBench {
  readonly clock = new ManualClock();
  readonly schedule = new Schedule(this.clock);
  readonly asked: [number, number][] = [];
  readonly verdicts: string[] = [];
  readonly sealing: Sealing;

  constructor(votes: readonly (Vote | undefined)[]) {
    const nodes = votes.map((_, index) => new ScriptedNode(index));
    const context = { nodes, schedule: this.schedule, observer: {} };
    this.sealing = new Sealing(context, TIMEOUT_MS, drawnToken(votes).token, votes, {
      askSeal: (index, token) => this.asked.push([index, token]),
      onSealed: ({ verdict }) => this.verdicts.push(verdict),
    });
    this.sealing.start(this.clock.now());
  }
}

describe("Sealing", () => {
  it("needs no message when a quorum returned the same fence", () => {
    const { asked, verdicts, sealing, schedule, clock } = new SealingBench([
      granted(7),
      undefined,
      granted(7),
    ]);
    expect(verdicts).to.deep.equal(["won"]);
    expect(sealing.token).to.equal(7);
    expect(sealing.sealed).to.equal(0b101);
    expect(asked).to.deep.equal([]);
    schedule.close();
    expect(clock.timerCount, "timers").to.equal(0);
  });

  it("takes the largest fence and asks exactly the nodes behind to store it", () => {
    const bench = new SealingBench([granted(7), granted(9), granted(5), undefined, held()]);
    expect(bench.sealing.token).to.equal(9);
    expect(bench.asked).to.deep.equal([
      [0, 9],
      [2, 9],
    ]);
    expect(bench.verdicts).to.deep.equal([]);
    bench.sealing.onSealVote(2, 9, granted(9));
    expect(bench.verdicts).to.deep.equal([]);
    bench.sealing.onSealVote(0, 9, granted(9));
    expect(bench.verdicts).to.deep.equal(["won"]);
    expect(bench.sealing.sealed).to.equal(0b00111);
  });

  it("never moves the token for a straggler, whose fence above it is of no use", () => {
    const bench = new SealingBench([granted(7), granted(5), undefined]);
    bench.sealing.onAcquireVote(2, granted(20));
    expect(bench.sealing.token).to.equal(7);
    expect(bench.asked).to.deep.equal([[1, 7]]);
    expect(bench.sealing.sealed & 0b100).to.equal(0);
    bench.sealing.onSealVote(1, 7, held());
    expect(bench.verdicts, "one sealed, one ahead, one refused").to.deep.equal(["lost"]);
  });

  it("seals a straggler below the token like any other", () => {
    const bench = new SealingBench([granted(7), granted(5), undefined]);
    bench.sealing.onAcquireVote(2, granted(6));
    expect(bench.asked.at(-1)).to.deep.equal([2, 7]);
    bench.sealing.onSealVote(2, 7, granted(7));
    expect(bench.verdicts).to.deep.equal(["won"]);
  });

  it("counts a straggler that returns the token itself without a message", () => {
    const bench = new SealingBench([granted(7), granted(5), undefined]);
    bench.sealing.onAcquireVote(2, granted(7));
    expect(bench.asked).to.deep.equal([[1, 7]]);
    expect(bench.verdicts).to.deep.equal(["won"]);
  });

  it("ignores a seal vote that was given for another token", () => {
    const bench = new SealingBench([granted(7), granted(5), undefined]);
    for (const token of [5, 6, 8]) bench.sealing.onSealVote(1, token, granted(token));
    expect(bench.verdicts).to.deep.equal([]);
    expect(bench.sealing.sealed).to.equal(0b001);
  });

  it("is not lost by a refusal that was on its way when a message said that the node has granted it since", () => {
    const bench = new SealingBench([granted(7), granted(9), undefined]);
    bench.sealing.onAcquireVote(0, held());
    bench.sealing.onAcquireVote(2, held());
    expect(bench.verdicts).to.deep.equal([]);
    bench.sealing.onSealVote(0, 9, granted(9));
    expect(bench.verdicts).to.deep.equal(["won"]);
  });

  it("is not lost by such a refusal either where the message came while the token was being stored", () => {
    const bench = new SealingBench([granted(7), granted(9), undefined]);
    bench.sealing.onAcquireVote(2, granted(8));
    bench.sealing.onAcquireVote(2, held());
    bench.sealing.onSealVote(0, 9, held());
    expect(bench.verdicts).to.deep.equal([]);
    bench.sealing.onSealVote(2, 9, granted(9));
    expect(bench.verdicts).to.deep.equal(["won"]);
  });

  it("counts one vote a node", () => {
    const bench = new SealingBench([granted(7), granted(5), granted(5), undefined, undefined]);
    for (let times = 0; times < 3; times++) bench.sealing.onSealVote(1, 7, granted(7));
    expect(bench.verdicts).to.deep.equal([]);
    expect(bench.sealing.sealed).to.equal(0b00011);
  });

  it("is lost as soon as no quorum can be sealed any more, by refusals or faults", () => {
    const bench = new SealingBench([granted(7), granted(5), granted(6), undefined, undefined]);
    bench.sealing.onSealVote(1, 7, free());
    bench.sealing.onAcquireVote(3, fault());
    expect(bench.verdicts).to.deep.equal([]);
    bench.sealing.onSealVote(2, 7, fault("timeout"));
    expect(bench.verdicts).to.deep.equal(["lost"]);
    expect(bench.sealing.votes[1]).to.deep.equal(free());
  });

  it("counts a node that does not seal within the deadline as a fault", () => {
    const bench = new SealingBench([granted(7), granted(5), undefined]);
    bench.clock.advance(TIMEOUT_MS - 1);
    expect(bench.verdicts).to.deep.equal([]);
    bench.clock.advance(1);
    expect(bench.verdicts).to.deep.equal(["lost"]);
    expect(bench.sealing.votes[1]).to.include({ fault: "timeout", sent: true });
  });

  it("counts answers that came during a stall of the process and are read right after it", () => {
    const bench = new SealingBench([granted(7), granted(5), undefined]);
    bench.clock.stall(5_000);
    bench.clock.advance(0);
    expect(bench.verdicts).to.deep.equal([]);
    bench.sealing.onSealVote(1, 7, granted(7));
    expect(bench.verdicts).to.deep.equal(["won"]);
  });

  it("keeps its deadline in the schedule, and takes it out with the verdict", () => {
    const decided = new SealingBench([granted(7), undefined, granted(7)]);
    expect(decided.schedule.size, "nothing to wait for").to.equal(0);
    const bench = new SealingBench([granted(7), granted(5), undefined]);
    expect(bench.schedule.size).to.equal(1);
    bench.sealing.onSealVote(1, 7, granted(7));
    expect(bench.schedule.size).to.equal(0);
    bench.clock.advance(10 * TIMEOUT_MS);
    expect(bench.verdicts).to.deep.equal(["won"]);
  });

  it("goes on noting who sealed after the verdict", () => {
    const bench = new SealingBench([granted(7), granted(7), granted(5)]);
    expect(bench.verdicts).to.deep.equal(["won"]);
    bench.sealing.onAcquireVote(2, granted(7));
    expect(bench.sealing.sealed).to.equal(0b111);
    expect(bench.verdicts).to.have.length(1);
  });

  it("says nothing any more once stopped, and asks nobody", () => {
    const bench = new SealingBench([granted(7), granted(5), undefined]);
    bench.sealing.stop();
    bench.sealing.onSealVote(1, 7, granted(7));
    bench.sealing.onAcquireVote(2, granted(3));
    bench.clock.advance(TIMEOUT_MS);
    expect(bench.verdicts).to.deep.equal([]);
    expect(bench.asked).to.deep.equal([[1, 7]]);
    expect(bench.clock.timerCount, "timers").to.equal(0);
  });

  it("is won only where a quorum stores the token, for every mix of fences and answers", () => {
    const node = fc.record({
      fence: fc.integer({ min: 1, max: 4 }),
      isEarly: fc.boolean(),
      seals: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(node, { minLength: 1, maxLength: 7 }), (nodes) => {
        const early = nodes.filter(({ isEarly }) => isEarly);
        fc.pre(2 * early.length > nodes.length);
        const bench = new SealingBench(
          nodes.map(({ fence, isEarly }) => (isEarly ? granted(fence) : undefined)),
        );
        const token = Math.max(...early.map(({ fence }) => fence));
        nodes.forEach(({ fence, isEarly }, index) => {
          if (!isEarly) bench.sealing.onAcquireVote(index, granted(fence));
        });
        for (const [index, asked] of [...bench.asked]) {
          expect(asked).to.equal(token);
          bench.sealing.onSealVote(index, asked, nodes[index]?.seals ? granted(asked) : held());
        }
        bench.clock.advance(TIMEOUT_MS);
        const stores = nodes.filter(
          ({ fence, seals }) => fence === token || (fence < token && seals),
        );
        expect(bench.sealing.token).to.equal(token);
        expect(bench.verdicts).to.deep.equal([2 * stores.length > nodes.length ? "won" : "lost"]);
      }),
    );
  });
});
