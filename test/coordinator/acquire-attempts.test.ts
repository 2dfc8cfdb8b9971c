import { expect } from "chai";
import { AcquireAttempts } from "../../src/coordinator/acquire-attempts.js";
import { NEWCOMER, type AcquireMode } from "../../src/coordinator/acquire-mode.js";
import type { AttemptOutcome } from "../../src/coordinator/attempt.js";
import type { Entry } from "../../src/coordinator/pending-attempt.js";
import { ownedLock } from "../../src/kinds/owned.js";
import { permitLock } from "../../src/kinds/permit.js";
import type { LockKind } from "../../src/protocol/lock-kind.js";
import { CoordinatorBench, KEYS, leaseSettings } from "../support/coordinator-bench.js";
import { ManualClock } from "../support/manual-clock.js";
import { at } from "../support/nodes.js";
import { permitsText } from "../support/permits-text.js";
import { granted, held } from "../support/votes.js";

const PERMITS = 4;
const ANY = permitLock(KEYS, PERMITS);
const HELD = [held(), held(), held()];
const GRANTED = [granted(7), granted(7), granted(7)];

/** The attempts of one acquire, and what is told of them, in order. */
class Bench {
  readonly bench: CoordinatorBench;
  readonly attempts: AcquireAttempts;
  readonly told: string[] = [];
  /** What the acquire does when it is told. */
  onOutcome: (outcome: AttemptOutcome) => void = () => {};

  constructor(keys: LockKind = KEYS, window?: number) {
    this.bench = new CoordinatorBench(3, new ManualClock(), undefined, window);
    this.attempts = new AcquireAttempts(this.bench.context, keys, leaseSettings(), {
      onOutcome: (outcome) => {
        this.told.push(outcome.kind);
        this.onOutcome(outcome);
      },
    });
  }

  begin(mode: AcquireMode = NEWCOMER, entry: Entry = {}): void {
    this.attempts.begin(mode, this.bench.clock.now(), undefined, entry);
  }

  get asked(): LockKind[] {
    return at(this.bench.nodes, 0)
      .all("acquire")
      .map(({ operation }) => operation.keys);
  }

  get permits(): number[] {
    return this.asked.map(({ permits }) => permits?.permit ?? -1);
  }

  /** What its process believes to hold or to ask for. */
  get taken(): number[] {
    const { permits } = this.bench.context.waitQueues;
    return [0, 1, 2, 3].filter((permit) => permits.pick(ANY, [permit, -1], 0) === -1);
  }
}

describe("AcquireAttempts", () => {
  it("count those that have begun, from when they did, and none that waits to be admitted", () => {
    const bench = new Bench(KEYS, 1);
    const { attempts, bench: coordinator } = bench;
    const { clock } = coordinator;
    const other = coordinator.acquire({ renew: false });
    clock.flush();
    bench.begin();
    expect(attempts).to.include({ count: 0, isUnderWay: true, isAsking: false, isResting: false });
    clock.advance(30);
    other.abort();
    clock.advance(0);
    expect(attempts).to.include({ count: 1, isUnderWay: true, isAsking: true });
    expect(attempts.sentMs).to.equal(clock.now());
    clock.advance(5);
    coordinator.answer("acquire", HELD);
    expect(attempts).to.include({ count: 1, isUnderWay: false, isAsking: false });
    expect(attempts.sentMs).to.equal(clock.now() - 5);
  });

  it("do not count one whose time is over before it is admitted", () => {
    const bench = new Bench(KEYS, 1);
    const { clock } = bench.bench;
    bench.bench.acquire({ renew: false });
    clock.flush();
    bench.begin(NEWCOMER, { beginUntilMs: clock.now() + 20 });
    clock.advance(20);
    expect(bench.told).to.deep.equal(["queued"]);
    expect(bench.attempts).to.include({ count: 0, isUnderWay: false });
  });

  it("follow one another from within the outcome", () => {
    const bench = new Bench();
    bench.onOutcome = () => {
      expect(bench.attempts.isUnderWay).to.equal(false);
      if (bench.attempts.count === 1) bench.begin();
    };
    bench.begin();
    bench.bench.answer("acquire", HELD);
    expect(bench.attempts).to.include({ count: 2, isUnderWay: true, isAsking: true });
    bench.bench.answer("acquire", GRANTED);
    expect(bench.told).to.deep.equal(["refused", "granted"]);
    expect(bench.attempts.isUnderWay).to.equal(false);
  });

  it("know of the last one alone whether it only joins its owner", () => {
    const bench = new Bench(ownedLock(KEYS, "me"));
    for (const isJoiner of [false, true, false]) {
      bench.begin(isJoiner ? { as: "joiner" } : NEWCOMER);
      expect(bench.attempts.isJoiner).to.equal(isJoiner);
      expect(bench.asked.at(-1)?.isJoinOnly).to.equal(isJoiner);
      bench.bench.answer("acquire", HELD);
    }
  });

  it("are taken back when they are aborted, without an outcome, and others may follow", () => {
    const bench = new Bench();
    bench.begin();
    bench.attempts.abort();
    bench.attempts.abort();
    expect(bench.bench.counts("release")).to.deep.equal([1, 1, 1]);
    bench.bench.answer("acquire", GRANTED);
    expect(bench.told).to.deep.equal([]);
    expect(bench.attempts).to.include({ count: 1, isUnderWay: false });
    bench.begin();
    bench.bench.answer("acquire", GRANTED);
    expect(bench.told).to.deep.equal(["granted"]);
  });

  it("tell that the nodes have decided after the acquire knows, each once", () => {
    const bench = new Bench();
    bench.begin();
    bench.attempts.whenDecided(() => {
      bench.told.push("decided");
      // About what it has decided next.
      bench.attempts.whenDecided(() => bench.told.push("decided again"));
    });
    bench.bench.answer("acquire", HELD);
    expect(bench.told).to.deep.equal(["refused", "decided"]);
    bench.begin();
    expect(bench.told).to.have.length(2);
    bench.bench.answer("acquire", HELD);
    expect(bench.told.slice(2)).to.deep.equal(["refused", "decided again"]);
  });
});

describe("AcquireAttempts at a name", () => {
  it("ask for it, and know of nothing else that may be free", () => {
    const bench = new Bench();
    bench.onOutcome = (outcome) => {
      if (outcome.kind === "granted") throw new Error("granted");
      expect(bench.attempts.isWithinReach(outcome)).to.equal(false);
    };
    bench.begin();
    bench.bench.answer("acquire", HELD);
    expect(bench.asked).to.deep.equal([KEYS]);
    bench.attempts.giveUp();
  });
});

describe("AcquireAttempts at a permit", () => {
  const told = { ...held(), takenPermits: permitsText(new Set([0, 1, 3]), PERMITS) };

  it("ask for one at a time, next for one that is free, until they are given up", () => {
    const bench = new Bench(ANY);
    bench.onOutcome = (outcome) => {
      if (outcome.kind === "granted") throw new Error("granted");
      expect(bench.attempts.isWithinReach(outcome)).to.equal(true);
    };
    bench.begin();
    expect(bench.taken).to.deep.equal(bench.permits);
    bench.bench.answer("acquire", [told, told, told]);
    expect(bench.taken).to.deep.equal([]);
    bench.begin();
    expect([bench.permits.at(-1), bench.taken]).to.deep.equal([2, [2]]);
    bench.attempts.abort();
    bench.attempts.giveUp();
    expect(bench.taken).to.deep.equal([]);
  });

  it("keep no permit from others that an aborted attempt has asked for", () => {
    const bench = new Bench(ANY);
    for (let count = 1; count <= 8; count++) {
      bench.begin();
      expect(bench.taken).to.deep.equal(bench.permits.slice(-1));
      bench.attempts.abort();
      expect(bench.taken, `after ${count}`).to.deep.equal([]);
    }
  });

  it("keep the one that is granted", () => {
    const bench = new Bench(ANY);
    bench.begin();
    bench.bench.answer("acquire", GRANTED);
    expect(bench.told).to.deep.equal(["granted"]);
    expect(bench.taken).to.deep.equal(bench.permits);
  });
});
