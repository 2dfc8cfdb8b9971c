import { expect } from "chai";
import { Release } from "../../src/coordinator/release.js";
import { Round } from "../../src/coordinator/round.js";
import type { WatchedRound } from "../../src/coordinator/watched-round.js";
import type { OperationKind } from "../../src/protocol/operation.js";
import { operation } from "../support/channel-bench.js";
import { CoordinatorBench, KEYS, leaseSettings } from "../support/coordinator-bench.js";
import { fault, granted, held } from "../support/votes.js";

/** A round that has ended, as it was told then. */
interface Heard {
  readonly kind: OperationKind;
  readonly verdict: WatchedRound["verdict"];
  readonly votes: readonly string[];
  readonly atMs: number;
}

/** A bench whose rounds are heard. */
function watchedBench(): { bench: CoordinatorBench; rounds: Heard[]; answers: string[] } {
  const bench = new CoordinatorBench();
  const startMs = bench.clock.now();
  const rounds: Heard[] = [];
  const answers: string[] = [];
  bench.context.observer.onRound = ({ kind }) => ({
    onAnswer: (index, { verdict }) => void answers.push(`${index} ${verdict}`),
    onEnd: ({ verdict, votes }) =>
      void rounds.push({
        ...{ kind, verdict, atMs: bench.clock.now() - startMs },
        votes: votes.map((vote) => vote?.kind ?? "none"),
      }),
  });
  return { bench, rounds, answers };
}

const abandon = (round: Round): void => round.abandon();

describe("Who hears of a round", () => {
  it("is told of each answer when it has been counted, and of the end with the last", () => {
    const { bench, rounds, answers } = watchedBench();
    const { outcomes } = bench.attempt();
    bench.answer("acquire", [granted(7), undefined, undefined]);
    bench.answer("acquire", [undefined, granted(7), undefined]);
    expect(outcomes).to.have.length(1);
    expect(rounds).to.deep.equal([]);
    bench.clock.advance(20);
    bench.answer("acquire", [undefined, undefined, held(100)]);
    const votes = ["granted", "granted", "refused"];
    expect(rounds).to.deep.equal([{ kind: "acquire", verdict: "won", votes, atMs: 20 }]);
    expect(answers).to.deep.equal(["0 pending", "1 won", "2 won"]);
    bench.clock.advance(1_000);
    expect(rounds.filter(({ kind }) => kind === "acquire")).to.have.length(1);
  });

  it("waits for no node longer than its deadline, whatever the verdict was before", () => {
    const { bench, rounds } = watchedBench();
    bench.attempt();
    bench.answer("acquire", [granted(7), granted(7), undefined]);
    bench.clock.advance(49);
    expect(rounds).to.deep.equal([]);
    bench.clock.advance(1);
    const votes = ["granted", "granted", "none"];
    expect(rounds[0]).to.deep.equal({ kind: "acquire", verdict: "won", votes, atMs: 50 });
    bench.answer("acquire", [undefined, undefined, granted(7)]);
    bench.clock.advance(1_000);
    expect(rounds.filter(({ kind }) => kind === "acquire")).to.have.length(1);
  });

  it("is told the faults that the deadline makes, and rounds that are abandoned", () => {
    const { bench, rounds } = watchedBench();
    bench.attempt();
    bench.answer("acquire", [fault("disconnected"), undefined, undefined]);
    bench.clock.advance(60);
    expect(rounds).to.have.length(1);
    expect(rounds[0]).to.include({ verdict: "lost" });
    expect(rounds[0]?.votes).to.deep.equal(["fault", "fault", "fault"]);

    const { attempt } = bench.attempt();
    attempt.abort();
    bench.clock.advance(60);
    expect(rounds.map(({ verdict }) => verdict)).to.deep.equal(["lost", "pending"]);
  });

  for (const { what, end } of [
    { what: "a verdict that was held back", end: () => {} },
    { what: "one that was held back when nobody waited for it any more", end: abandon },
  ]) {
    it(`waits on after ${what}`, () => {
      const { bench, rounds } = watchedBench();
      const round = new Round(bench.context, 50, { onVerdict: () => {} }, { lingerMs: 20 });
      round.send(operation("acquire", "me"), bench.clock.now());
      bench.answer("acquire", [held(), held(), undefined]);
      end(round);
      bench.clock.advance(49);
      expect(rounds).to.deep.equal([]);
      bench.clock.advance(1);
      expect(rounds.map(({ votes, atMs }) => [...votes, atMs])).to.deep.equal([
        ["refused", "refused", "none", 50],
      ]);
    });
  }

  it("is told at once of a release that is asked for again when all have answered meanwhile", () => {
    const { bench, rounds } = watchedBench();
    const release = new Release(bench.context, {
      ...{ keys: KEYS, ownerId: "me", settings: leaseSettings(), mayHold: 0 },
    });
    void release.ask();
    bench.clock.advance(50);
    bench.answer("release", [granted(), granted(), granted()]);
    void release.ask();
    expect(rounds.map(({ verdict, atMs }) => `${verdict} ${atMs}`)).to.deep.equal([
      "lost 50",
      "won 50",
    ]);
    bench.context.schedule.close();
    expect(bench.clock.timerCount).to.equal(0);
  });

  it("is told nothing of rounds that it does not want to hear of", () => {
    const { bench, rounds } = watchedBench();
    const { observer } = bench.context;
    const hear = observer.onRound?.bind(observer);
    const asked: string[] = [];
    observer.onRound = (operation) => {
      asked.push(`${operation.kind} ${operation.ownerId}`);
      return operation.kind === "extend" ? hear?.(operation) : undefined;
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
