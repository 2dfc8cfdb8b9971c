import { expect } from "chai";
import * as fc from "fast-check";
import { Round, type RoundContext, type WatchedRound } from "../../src/coordinator/round.js";
import { Schedule } from "../../src/coordinator/schedule.js";
import { newOperation, type OperationKind, type Vote } from "../../src/protocol/operation.js";
import { isReasonKnown, tallyOf, verdict } from "../../src/protocol/quorum.js";
import { CoordinatorBench, KEYS, leaseSettings } from "../support/coordinator-bench.js";
import { ManualClock } from "../support/manual-clock.js";
import { ScriptedNode } from "../support/scripted-node.js";
import { fault, free, granted, held } from "../support/votes.js";
import { Release } from "../../src/coordinator/release.js";
import { operation } from "../support/channel-bench.js";

const TIMEOUT_MS = 50;

const OPERATION = newOperation("extend", {
  ...{ keys: KEYS, ownerId: "me", ttlMs: 1_000, fence: 7, sendBeforeMs: 2_000 },
});

class RoundBench {
  readonly clock = new ManualClock();
  readonly schedule = new Schedule(this.clock);
  readonly nodes: ScriptedNode[];
  readonly context: RoundContext;
  readonly round: Round;
  readonly verdicts: string[] = [];
  losses = 0;
  readonly stragglers: [number, Vote][] = [];

  constructor(
    nodeCount: number,
    mayHold = 0,
    lingerMs = 0,
    isReasonKnown?: (round: Round) => boolean,
  ) {
    this.nodes = Array.from({ length: nodeCount }, (_, index) => new ScriptedNode(index));
    this.context = { nodes: this.nodes, schedule: this.schedule, observer: {} };
    const listener = {
      onLost: () => this.losses++,
      onVerdict: (round: Round) => this.verdicts.push(round.verdict),
      onStraggler: (index: number, vote: Vote) => this.stragglers.push([index, vote]),
      ...(isReasonKnown && { isReasonKnown }),
    };
    this.round = new Round(this.context, TIMEOUT_MS, listener, { lingerMs });
    this.round.send(OPERATION, this.clock.now(), mayHold);
  }

  readonly reply = (index: number, vote: Vote): void => {
    this.nodes[index]?.answer("extend", vote);
  };
}

/** What may end that it lingers. */
interface Lingering {
  readonly round: Round;
  readonly reply: (index: number, vote: Vote) => void;
  readonly advance: (ms: number) => void;
}

describe("Round", () => {
  it("asks every node at once, with the same operation", () => {
    const { nodes } = new RoundBench(5);
    for (const node of nodes) {
      expect(node.asks.map(({ operation }) => operation)).to.deep.equal([OPERATION]);
    }
  });

  for (const { title, votes, isLingering } of [
    { title: "refusals alone lose it", votes: [held(), held(), held()], isLingering: true },
    { title: "a node granted it", votes: [granted(7), held(), held(), held()], isLingering: false },
    { title: "a fault came first", votes: [fault(), held(), held(), held()], isLingering: false },
    { title: "all have refused", votes: Array(5).fill(held()), isLingering: false },
    { title: "it is won", votes: [granted(7), granted(7), granted(7)], isLingering: false },
  ]) {
    it(`${isLingering ? "lingers" : "does not linger"} where ${title}`, () => {
      const bench = new RoundBench(5, 0, 10);
      votes.forEach((vote, index) => bench.reply(index, vote));
      expect(bench.verdicts).to.have.length(isLingering ? 0 : 1);
      expect(bench.losses).to.equal(bench.round.verdict === "lost" ? 1 : 0);
    });
  }

  it("goes on lingering where nodes that had refused grant it by messages, until it is won", () => {
    const bench = new RoundBench(5, 0, 10);
    for (const index of [0, 1, 2, 3]) bench.reply(index, held());
    for (const index of [0, 1]) bench.round.onGrant(index, granted(7));
    expect(bench.losses).to.equal(0);
    bench.round.onGrant(2, granted(7));
    expect(bench.round.verdict).to.equal("won");
  });

  for (const { title, bring, askedInVain } of [
    { title: "nobody has answered", bring: () => {}, askedInVain: 0b11111 },
    {
      title: "one has answered that it grants it",
      bring: ({ reply }: RoundBench) => reply(0, granted(7)),
      askedInVain: 0b11110,
    },
    {
      title: "a message says so before its answer",
      bring: ({ round }: RoundBench) => round.onGrant(0, granted(7)),
      askedInVain: 0b11111,
    },
    {
      title: "its answer is then that it refuses",
      bring: ({ round, reply }: RoundBench) => (round.onGrant(0, granted(7)), reply(0, held())),
      askedInVain: 0b11111,
    },
    {
      title: "its answer is then that it has granted it",
      bring: ({ round, reply }: RoundBench) => (round.onGrant(0, granted(7)), reply(0, granted(7))),
      askedInVain: 0b11110,
    },
  ]) {
    it(`has asked nodes ${askedInVain.toString(2)} in vain where ${title}`, () => {
      const bench = new RoundBench(5);
      bring(bench);
      expect(bench.round.askedInVain).to.equal(askedInVain);
    });
  }

  // A loss is final: it is rolled back then.
  it("is lost only where its votes say so, and never won after that, whatever nodes grant since", () => {
    const step = fc.record({
      index: fc.nat(4),
      what: fc.constantFrom("held", "granted", "message", "time"),
    });
    const seen = { wonByMessage: 0, lostThenGranted: 0 };
    fc.assert(
      fc.property(fc.array(step, { minLength: 8, maxLength: 20 }), (steps) => {
        const bench = new RoundBench(5, 0, 10, ({ votes }) => !votes.includes(undefined));
        let lossCount = 0;
        for (const { index, what } of steps) {
          if (what === "held") bench.reply(index, held());
          else if (what === "granted") bench.reply(index, granted(7));
          else if (what === "message") bench.round.onGrant(index, granted(7));
          else bench.clock.advance(6);
          const isLost = verdict(tallyOf(bench.round.votes)) === "lost";
          if (bench.losses > lossCount) expect(isLost).to.equal(true);
          else if (lossCount > 0 && !isLost) seen.lostThenGranted++;
          lossCount = bench.losses;
        }
        bench.clock.advance(TIMEOUT_MS);
        expect(bench.verdicts).to.deep.equal([bench.losses > 0 ? "lost" : "won"]);
        if (bench.losses === 0 && steps.some(({ what }) => what === "message")) seen.wonByMessage++;
      }),
      { numRuns: 1_000 },
    );
    expect(seen.wonByMessage).to.be.above(10);
    expect(seen.lostThenGranted).to.be.above(10);
  });

  for (const { title, bring, stragglerCount } of [
    {
      title: "all have refused",
      bring: ({ reply }: Lingering) => [3, 4].forEach((index) => reply(index, held())),
      stragglerCount: 0,
    },
    {
      title: "one grants it",
      bring: ({ reply }: Lingering) => reply(4, granted(7)),
      stragglerCount: 1,
    },
    { title: "one fails", bring: ({ reply }: Lingering) => reply(4, fault()), stragglerCount: 1 },
    { title: "it has been long", bring: ({ advance }: Lingering) => advance(6), stragglerCount: 2 },
    { title: "it is to hurry", bring: ({ round }: Lingering) => round.hurry(), stragglerCount: 2 },
  ]) {
    it(`lingers until ${title}, and is lost once`, () => {
      const bench = new RoundBench(5, 0, 10);
      bench.clock.advance(4);
      const reply = (index: number, vote: Vote): void => bench.reply(index, vote);
      const advance = (ms: number): void => bench.clock.advance(ms);
      [0, 1, 2].forEach((index) => reply(index, held()));
      advance(5);
      expect(bench.verdicts).to.deep.equal([]);
      bring({ round: bench.round, reply, advance });
      expect(bench.verdicts).to.deep.equal(["lost"]);
      [3, 4].forEach((index) => reply(index, held()));
      bench.round.hurry();
      advance(TIMEOUT_MS);
      expect(bench.verdicts).to.deep.equal(["lost"]);
      expect(bench.losses).to.equal(1);
      expect(bench.stragglers).to.have.length(stragglerCount);
    });
  }

  for (const { title, bring, lostMs } of [
    { title: "one grants it", bring: (bench: RoundBench) => bench.reply(3, granted(7)), lostMs: 8 },
    { title: "one fails", bring: (bench: RoundBench) => bench.reply(3, fault()), lostMs: 8 },
    { title: "it is to hurry", bring: ({ round }: RoundBench) => round.hurry(), lostMs: 8 },
    { title: "it has been long", bring: () => {}, lostMs: 10 },
  ]) {
    it(`waits for the reason until its deadline where it lingers no more, as ${title}`, () => {
      const bench = new RoundBench(5, 0, 10, ({ votes }) =>
        votes.every((vote) => vote !== undefined),
      );
      [0, 1, 2].forEach((index) => bench.reply(index, held()));
      bench.clock.advance(8);
      bring(bench);
      bench.clock.advance(lostMs - 8);
      expect(bench.losses, "it is lost").to.equal(1);
      bench.clock.advance(TIMEOUT_MS - 1 - lostMs);
      expect(bench.verdicts, "silent nodes may answer until then").to.deep.equal([]);
      bench.clock.advance(1);
      expect(bench.verdicts).to.deep.equal(["lost"]);
    });
  }

  it("marks a release as owed where the mask says so", () => {
    const { nodes } = new RoundBench(3, 0b101);
    expect(nodes.map((node) => node.last("extend").mayHold)).to.deep.equal([true, false, true]);
  });

  it("is won with the q-th grant, not later", () => {
    const bench = new RoundBench(5);
    bench.reply(4, granted());
    bench.reply(0, granted());
    expect(bench.verdicts).to.deep.equal([]);
    bench.reply(2, granted());
    expect(bench.verdicts).to.deep.equal(["won"]);
    bench.schedule.close();
    expect(bench.clock.timerCount, "timers").to.equal(0);
  });

  it("is lost as soon as a quorum is out of reach, not later", () => {
    const bench = new RoundBench(5);
    bench.reply(0, held());
    bench.reply(1, fault());
    expect(bench.verdicts).to.deep.equal([]);
    bench.reply(2, free());
    expect(bench.round.verdict).to.equal("lost");
    expect(bench.losses, "told at once").to.equal(1);
    bench.reply(3, fault());
    expect(bench.verdicts, "silence or contention: one vote more will tell").to.deep.equal([]);
    bench.reply(4, fault());
    expect(bench.verdicts).to.deep.equal(["lost"]);
    bench.schedule.close();
    expect(bench.clock.timerCount, "timers").to.equal(0);
  });

  it("settles an even split", () => {
    const bench = new RoundBench(4);
    bench.reply(0, granted());
    bench.reply(1, granted());
    bench.reply(2, held());
    expect(bench.verdicts).to.deep.equal([]);
    bench.reply(3, held());
    expect(bench.verdicts).to.deep.equal(["lost"]);
  });

  it("counts nodes that are silent at the deadline as faults that were sent", () => {
    const bench = new RoundBench(3);
    bench.reply(1, granted());
    bench.clock.advance(TIMEOUT_MS - 1);
    expect(bench.verdicts).to.deep.equal([]);
    bench.clock.advance(1);
    expect(bench.verdicts).to.deep.equal(["lost"]);
    expect(bench.round.votes[0]).to.include({ kind: "fault", fault: "timeout", sent: true });
    expect(bench.round.votes[1]).to.deep.equal(granted());
    expect(tallyOf(bench.round.votes)).to.include({ grantedCount: 1, faultCount: 2 });
  });

  it("counts the first vote of a node only", () => {
    const bench = new RoundBench(3);
    bench.reply(0, held());
    bench.reply(0, granted());
    bench.reply(0, held());
    expect(tallyOf(bench.round.votes)).to.include({ grantedCount: 0, refusedCount: 1 });
    expect(bench.round.votes[0]).to.deep.equal(held());
    expect(bench.stragglers).to.deep.equal([]);
  });

  it("reports a straggler once, keeps its vote, and lets it change nothing", () => {
    const bench = new RoundBench(3);
    bench.reply(0, granted(5));
    bench.reply(1, granted(6));
    bench.reply(2, held());
    bench.reply(2, granted(9));
    expect(bench.verdicts).to.deep.equal(["won"]);
    expect(bench.stragglers).to.deep.equal([[2, held()]]);
    expect(bench.round.votes[2]).to.deep.equal(held());
    expect(bench.round.verdict).to.equal("won");
  });

  it("says in whole milliseconds how long it waited", () => {
    const clock = new ManualClock();
    const schedule = new Schedule(clock);
    const onVerdict = (): void => {};
    const nodes = [0, 1, 2].map((index) => new ScriptedNode(index));
    const round = new Round({ nodes, schedule, observer: {} }, 20.180682999999988, { onVerdict });
    round.expect(clock.now());
    clock.advance(30);
    expect(round.votes[0]).to.include({ message: "no answer within 20 ms" });
  });

  it("reports an answer behind the deadline as a straggler; its vote stays a timeout", () => {
    const bench = new RoundBench(1);
    bench.clock.advance(TIMEOUT_MS);
    bench.reply(0, granted(5));
    expect(bench.verdicts).to.deep.equal(["lost"]);
    expect(bench.stragglers).to.deep.equal([[0, granted(5)]]);
    expect(bench.round.votes[0]).to.include({ fault: "timeout" });
  });

  it("gives no verdict once abandoned, but still reports what comes", () => {
    const bench = new RoundBench(3);
    bench.reply(0, granted());
    bench.round.abandon();
    bench.reply(1, granted());
    bench.clock.advance(TIMEOUT_MS);
    expect(bench.verdicts).to.deep.equal([]);
    expect(bench.stragglers).to.deep.equal([[1, granted()]]);
    expect(bench.clock.timerCount, "timers").to.equal(0);
  });

  it("decides every order of votes as the arithmetic does, exactly once", () => {
    const vote = fc.constantFrom<Vote>(granted(), held(), free(), fault());
    const votes = fc.array(vote, { minLength: 1, maxLength: 9 });
    const order = votes.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all.map((_, index) => index))),
    );
    fc.assert(
      fc.property(order, ([all, replying]) => {
        const bench = new RoundBench(all.length);
        const tally = { nodeCount: all.length, grantedCount: 0, refusedCount: 0, faultCount: 0 };
        for (const index of replying) {
          const expected = verdict(tally);
          expect(bench.round.verdict).to.equal(expected);
          expect(bench.losses).to.equal(expected === "lost" ? 1 : 0);
          const isOver = expected === "won" || (expected === "lost" && isReasonKnown(tally));
          expect(bench.verdicts).to.deep.equal(isOver ? [expected] : []);
          const cast = all[index] as Vote;
          bench.reply(index, cast);
          if (!isOver) tally[`${cast.kind}Count`]++;
        }
        bench.clock.advance(TIMEOUT_MS);
        expect(bench.verdicts).to.have.length(1);
        const wasDecided = verdict(tally);
        expect(bench.verdicts[0]).to.equal(wasDecided === "pending" ? "lost" : wasDecided);
      }),
    );
  });
});

describe("Round: its deadline in the schedule", () => {
  it("counts answers that came during a stall of the process and are read right after it", () => {
    const bench = new RoundBench(3);
    bench.clock.stall(5_000);
    bench.clock.advance(0);
    expect(bench.verdicts).to.deep.equal([]);
    bench.reply(0, granted());
    bench.reply(1, granted());
    expect(bench.verdicts).to.deep.equal(["won"]);
  });

  it("waits no longer than that behind a stall", () => {
    const bench = new RoundBench(3);
    bench.clock.stall(5_000);
    bench.clock.advance(1);
    expect(bench.verdicts).to.deep.equal(["lost"]);
    expect(bench.clock.timerCount).to.equal(0);
  });

  /** Rounds of one schedule, each with what it came to and when. */
  function rounds(timeoutsMs: readonly number[], clock = new ManualClock()) {
    const schedule = new Schedule(clock);
    const node = new ScriptedNode(0);
    const endedMs: (number | undefined)[] = timeoutsMs.map(() => undefined);
    const all = timeoutsMs.map((timeoutMs, at) => {
      const onVerdict = (): void => void (endedMs[at] = clock.now());
      return new Round({ nodes: [node], schedule, observer: {} }, timeoutMs, { onVerdict });
    });
    for (const round of all) round.send(OPERATION, clock.now());
    return { clock, schedule, node, all, endedMs };
  }

  it("costs one timer for any number of rounds, and each ends at its own instant", () => {
    const timeouts = fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(timeouts, (timeoutsMs) => {
        const { clock, schedule, endedMs } = rounds(timeoutsMs);
        const startMs = clock.now();
        expect(schedule.size).to.equal(timeoutsMs.length);
        expect(clock.timerCount, "timers").to.equal(1);
        clock.advance(3_000);
        expect(endedMs).to.deep.equal(timeoutsMs.map((timeoutMs) => startMs + timeoutMs));
        expect(schedule.size).to.equal(0);
        expect(clock.timerCount, "timers").to.equal(0);
      }),
    );
  });

  it("is counted from the reading that was given, not from when it was sent", () => {
    const bench = new RoundBench(1);
    const late = new Round(bench.context, TIMEOUT_MS, {
      onVerdict: () => bench.verdicts.push("late"),
    });
    late.send(OPERATION, bench.clock.now() - 20);
    bench.clock.advance(TIMEOUT_MS - 20);
    expect(bench.verdicts).to.deep.equal(["late"]);
  });

  for (const { title, end } of [
    { title: "its verdict", end: (bench: RoundBench) => bench.reply(0, granted()) },
    { title: "an abandon", end: (bench: RoundBench) => bench.round.abandon() },
    { title: "the deadline itself", end: (bench: RoundBench) => bench.clock.advance(TIMEOUT_MS) },
  ]) {
    it(`is taken out by ${title}`, () => {
      const bench = new RoundBench(1);
      expect(bench.schedule.size).to.equal(1);
      end(bench);
      expect(bench.schedule.size).to.equal(0);
      expect(bench.round.heapIndex).to.equal(-1);
      bench.schedule.close();
      expect(bench.clock.timerCount, "timers").to.equal(0);
      bench.clock.advance(10 * TIMEOUT_MS);
      expect(bench.verdicts.length).to.be.at.most(1);
    });
  }

  it("takes no other round's deadline with it", () => {
    const { clock, node, all, endedMs } = rounds([30, 10, 20, 40, 50]);
    const startMs = clock.now();
    node.asks[1]?.reply(granted());
    all[3]?.abandon();
    clock.advance(50);
    expect(endedMs).to.deep.equal([startMs + 30, startMs, startMs + 20, undefined, startMs + 50]);
  });

  it("is over within a second of waking up when the machine slept past it", () => {
    const { clock, endedMs } = rounds([60_000]);
    clock.advance(10);
    clock.suspend(3_600_000);
    clock.advance(1_000);
    expect(endedMs[0]).to.not.equal(undefined);
  });
});

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
