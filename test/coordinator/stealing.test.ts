import { expect } from "chai";
import type { AcquireOutcome, WaitSettings } from "../../src/coordinator/acquire.js";
import type { Held, Pending } from "../../src/coordinator/context.js";
import { Stealing } from "../../src/coordinator/stealing.js";
import { keysOf } from "../../src/protocol/keys.js";
import { severalKeys } from "../../src/protocol/layout.js";
import { CoordinatorBench, KEYS, leaseSettings } from "../support/coordinator-bench.js";
import { fault, foreign, granted, held } from "../support/votes.js";

const OTHER = keysOf("lock:", "other");

class Theft {
  readonly bench = new CoordinatorBench();
  readonly held: Held[] = [];
  readonly pending = new Set<Pending>();
  readonly outcomes: AcquireOutcome[] = [];
  stealing: Stealing | undefined;

  begin(wait: Partial<WaitSettings> = {}): this {
    const settings = { waitMs: 0, minDelayMs: 10, maxDelayMs: 250, fair: false, ...wait };
    const { context } = this.bench;
    const lease = leaseSettings();
    this.stealing = new Stealing(context, KEYS, lease, settings, this, (outcome) => {
      this.outcomes.push(outcome);
    });
    this.pending.add(this.stealing);
    return this;
  }

  /** Everything that each node was asked, in order. */
  asked(): string[][] {
    return this.bench.nodes.map(({ asks }) =>
      asks.map(({ operation }) => `${operation.kind} ${operation.keys.layout?.kind ?? "plain"}`),
    );
  }
}

describe("a theft", () => {
  it("asks for the key whoever holds it, and has a plain lock then", () => {
    const theft = new Theft().begin();
    theft.bench.clock.advance(0);
    theft.bench.answer("acquire", [granted(7), granted(7)]);
    const [outcome] = theft.outcomes;
    if (outcome?.kind !== "granted") return expect.fail(`it is ${outcome?.kind}`);
    expect(theft.asked()).to.deep.equal([0, 1, 2].map(() => ["acquire stolen"]));
    void outcome.holding.release();
    expect(theft.asked()).to.deep.equal([0, 1, 2].map(() => ["acquire stolen", "release plain"]));
  });

  it("ends the belief of those in its process before it asks", () => {
    const theft = new Theft();
    const holding = theft.bench.holding();
    theft.held.push(holding);
    let wasAsked: boolean | undefined;
    holding.onLost = () => {
      wasAsked = theft.asked().flat().includes("acquire stolen");
    };
    theft.begin().bench.clock.advance(0);
    expect(theft.bench.lost).to.deep.equal(["stolen"]);
    expect(wasAsked).to.equal(false);
    const order = ["acquire plain", "release plain", "acquire stolen"];
    expect(theft.asked()).to.deep.equal([order, order, order]);
  });

  it("robs neither other names, nor what is lost already", () => {
    const theft = new Theft();
    const robbed: string[] = [];
    for (const keys of [OTHER, severalKeys([OTHER, keysOf("lock:", "third")])]) {
      const close = (): Promise<void> => Promise.resolve();
      theft.held.push({ keys, close, rob: () => robbed.push(keys.name) });
    }
    const over = theft.bench.holding({ renew: false });
    theft.bench.clock.advance(2_000);
    theft.held.push(over);
    theft.begin().bench.clock.advance(0);
    expect(robbed).to.deep.equal([]);
    expect(theft.bench.lost).to.deep.equal(["expired"]);
  });

  it("robs whoever has the name among several", () => {
    const theft = new Theft();
    const robbed: string[] = [];
    const keys = severalKeys([OTHER, KEYS]);
    const close = (): Promise<void> => Promise.resolve();
    theft.held.push({ keys, close, rob: () => robbed.push(keys.name) });
    theft.begin().bench.clock.advance(0);
    expect(robbed).to.deep.equal([keys.name]);
  });

  it("is tried again where no quorum answers, until its time is over, and robs again", () => {
    const theft = new Theft().begin({ waitMs: 100, minDelayMs: 10, maxDelayMs: 10 });
    theft.bench.clock.advance(0);
    theft.bench.answer("acquire", [fault("disconnected"), fault("disconnected")]);
    expect(theft.outcomes).to.deep.equal([]);
    const late = theft.bench.holding();
    theft.held.push(late);
    theft.bench.clock.advance(10);
    expect(late.lossReason).to.equal("stolen");
    expect(theft.stealing?.attemptCount).to.equal(2);
    // The last attempt begins when its time is over, and nobody answers that either.
    theft.bench.clock.advance(200);
    expect(theft.outcomes.map(({ kind }) => kind)).to.deep.equal(["unreachable"]);
  });

  it("is not tried again where it cannot help: data that is no lock", () => {
    const theft = new Theft().begin({ waitMs: 100 });
    theft.bench.clock.advance(0);
    theft.bench.answer("acquire", [foreign(), foreign()]);
    expect(theft.outcomes.map(({ kind }) => kind)).to.deep.equal(["refused"]);
  });

  it("gives way to a later one, as if it had been granted and robbed", () => {
    const theft = new Theft().begin();
    theft.bench.clock.advance(0);
    theft.stealing?.giveWay(OTHER.lockKey);
    expect(theft.outcomes).to.deep.equal([]);
    theft.stealing?.giveWay(KEYS.lockKey);
    expect(theft.outcomes).to.deep.equal([{ kind: "aborted" }]);
    expect(theft.stealing?.isRobbed).to.equal(true);
    expect(theft.asked()[0]).to.deep.equal(["acquire stolen", "release plain"]);
  });

  it("settles once, and asks no more, when it is aborted", () => {
    const theft = new Theft().begin();
    theft.stealing?.abort();
    theft.stealing?.abort();
    theft.bench.clock.advance(1_000);
    expect(theft.outcomes).to.deep.equal([{ kind: "aborted" }]);
    expect(theft.asked()).to.deep.equal([[], [], []]);
    expect(theft.bench.context.schedule.size).to.equal(0);
  });
});

describe("an acquire that gives way to a theft", () => {
  it("takes back what it asked, and asks anew behind", () => {
    const bench = new CoordinatorBench();
    const { acquiring, outcomes } = bench.acquire();
    acquiring.giveWay(OTHER.lockKey);
    expect(bench.counts("release")).to.deep.equal([0, 0, 0]);
    acquiring.giveWay(KEYS.lockKey);
    expect(bench.counts("release")).to.deep.equal([1, 1, 1]);
    expect(bench.counts("acquire")).to.deep.equal([1, 1, 1]);
    // What the nodes granted before must not be believed in.
    bench.answer("acquire", [granted(7), granted(7), granted(7)]);
    expect(outcomes).to.deep.equal([]);
    bench.clock.advance(0);
    expect(bench.counts("acquire")).to.deep.equal([2, 2, 2]);
    bench.answer("acquire", [held(), held()]);
    expect(outcomes.map(({ kind }) => kind)).to.deep.equal(["refused"]);
  });

  it("does nothing while it asks for nothing", () => {
    const bench = new CoordinatorBench();
    const { acquiring } = bench.acquire({}, { waitMs: 500 });
    bench.answer("acquire", [held(), held(), held()]);
    const asked = bench.counts("release");
    acquiring.giveWay(KEYS.lockKey);
    expect(bench.counts("release")).to.deep.equal(asked);
  });
});
