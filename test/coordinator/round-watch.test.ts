import { expect } from "chai";
import type { WatchedRound } from "../../src/coordinator/watched-round.js";
import { CoordinatorBench } from "../support/coordinator-bench.js";
import { fault, granted, held } from "../support/votes.js";

/** A bench whose rounds are heard. */
function watchedBench(): { bench: CoordinatorBench; rounds: WatchedRound[] } {
  const bench = new CoordinatorBench();
  const rounds: WatchedRound[] = [];
  Object.assign(bench.context.observer, {
    onRound: () => (round: WatchedRound) => rounds.push(round),
  });
  return { bench, rounds };
}

const votesOf = ({ votes }: WatchedRound): string[] =>
  votes.map((each) => `${each?.vote?.kind ?? "none"} ${each?.ms}`);

describe("watched", () => {
  it("tells of a round when its last node has answered, with what each took", () => {
    const { bench, rounds } = watchedBench();
    const { outcomes } = bench.attempt();
    bench.clock.advance(3);
    bench.answer("acquire", [granted(7), undefined, undefined]);
    bench.clock.advance(4);
    bench.answer("acquire", [undefined, granted(7), undefined]);
    expect(outcomes).to.have.length(1);
    expect(rounds).to.deep.equal([]);
    bench.clock.advance(20);
    bench.answer("acquire", [undefined, undefined, held(100)]);
    expect(rounds).to.have.length(1);
    expect(rounds[0]).to.include({ kind: "acquire", verdict: "won", durationMs: 7 });
    expect(rounds.map(votesOf)).to.deep.equal([["granted 3", "granted 7", "refused 27"]]);
  });

  it("waits for no node longer than its deadline", () => {
    const { bench, rounds } = watchedBench();
    bench.attempt();
    bench.answer("acquire", [granted(7), granted(7), undefined]);
    bench.clock.advance(54);
    expect(rounds).to.deep.equal([]);
    bench.clock.advance(1);
    expect(rounds.map(votesOf)).to.deep.equal([["granted 0", "granted 0", "none 50"]]);
    bench.answer("acquire", [undefined, undefined, granted(7)]);
    bench.clock.advance(1_000);
    expect(rounds.filter(({ kind }) => kind === "acquire")).to.have.length(1);
  });

  it("tells the faults that the deadline makes, and rounds that are abandoned", () => {
    const { bench, rounds } = watchedBench();
    bench.attempt();
    bench.answer("acquire", [fault("disconnected"), undefined, undefined]);
    bench.clock.advance(60);
    expect(rounds.map(({ verdict }) => verdict)).to.deep.equal(["lost"]);
    expect(rounds.map(votesOf)).to.deep.equal([["fault 0", "fault 50", "fault 50"]]);

    const { attempt } = bench.attempt();
    attempt.abort();
    bench.clock.advance(60);
    expect(rounds.map(({ verdict }) => verdict)).to.deep.equal(["lost", "abandoned"]);
  });

  it("tells nothing of rounds that nobody wants to hear of", () => {
    const { bench, rounds } = watchedBench();
    const asked: string[] = [];
    const tell = (round: WatchedRound): void => void rounds.push(round);
    bench.context.observer.onRound = ({ kind, ownerId }) => {
      asked.push(`${kind} ${ownerId}`);
      return kind === "extend" ? tell : undefined;
    };
    const lease = bench.lease();
    void lease.extend();
    bench.answer("extend", [granted(), granted(), granted()]);
    expect(asked).to.deep.equal([`acquire ${lease.ownerId}`, `extend ${lease.ownerId}`]);
    expect(rounds.map(({ kind }) => kind)).to.deep.equal(["extend"]);
  });

  it("takes no part: the same is sent and granted as where nobody hears it", () => {
    const plain = new CoordinatorBench();
    const { bench } = watchedBench();
    for (const each of [plain, bench]) {
      const lease = each.lease();
      each.clock.advance(400);
      each.answer("extend", [granted(), granted(), undefined]);
      void lease.release();
      each.clock.advance(100);
    }
    expect(bench.nodes.map(({ kinds }) => kinds)).to.deep.equal(
      plain.nodes.map(({ kinds }) => kinds),
    );
    expect([bench.grantedCount, bench.releasedCount]).to.deep.equal([1, 1]);
  });
});
