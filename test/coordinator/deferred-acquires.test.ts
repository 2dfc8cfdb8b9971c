import { expect } from "chai";
import type { Lease } from "../../src/coordinator/lease.js";
import { gatherMs } from "../../src/protocol/node-messages.js";
import { CoordinatorBench, heardInbox, KEYS, type Acquired } from "../support/coordinator-bench.js";
import { ManualClock } from "../support/manual-clock.js";
import { at } from "../support/nodes.js";
import { fault, granted, held } from "../support/votes.js";

const GATHER_MS = gatherMs(50, undefined);

/** An acquire that all three nodes have refused, and which waits in their queues for a while. */
class GrantsBench extends CoordinatorBench {
  readonly outcomes: Acquired[];
  readonly abort: () => void;
  /** Under which ownerId it waits. */
  readonly ownerId: string;

  constructor(waitMs = 10_000) {
    super(3, new ManualClock(), heardInbox());
    const { outcomes, abort } = this.acquire({}, { waitMs, maxDelayMs: 2_000, fair: true });
    [this.outcomes, this.abort] = [outcomes, abort];
    this.answer("acquire", [held(60_000), held(60_000), held(60_000)]);
    this.clock.advance(100);
    this.ownerId = this.waitsAs;
    expect(this.counts("acquire")).to.deep.equal([1, 1, 1]);
  }

  /** The owner of the acquire that it has left on the nodes last. */
  get waitsAs(): string {
    const sent = at(this.nodes, 0).asks.flatMap(({ operation }) =>
      operation.kind === "acquire" || operation.kind === "release" ? operation : [],
    );
    const owner = sent.at(-1)?.waiter?.deferred?.ownerId;
    if (owner === undefined) throw new Error("it has left none");
    return owner;
  }

  /** A node says that it has executed the acquire of that owner, relying on a call so long ago. */
  grant(index: number, agoMs = 0, ownerId = this.ownerId, fence = 7): void {
    const sentMs = this.clock.now() - agoMs;
    const vote = { kind: "granted", fence, isWaitedFor: true } as const;
    at(this.nodes, index).grants = new Map([[ownerId, { vote, sentMs }]]);
    const grant = { lockKey: KEYS.lockKey, fence, number: 1, isWaitedFor: true, proof: "" };
    this.context.waitQueues.onGrant(index, KEYS, grant);
  }

  get got(): Lease {
    const outcome = this.outcomes[0];
    if (outcome?.kind !== "granted") throw new Error(`not granted but ${outcome?.kind}`);
    return outcome.lease;
  }

  get acquires(): number[] {
    return this.counts("acquire");
  }
}

describe("An acquire whose deferred acquire nodes execute", () => {
  it("is granted by the messages of a quorum alone, and asks nobody", () => {
    const bench = new GrantsBench();
    bench.grant(1);
    expect(bench.outcomes).to.deep.equal([]);
    bench.grant(2);
    expect(bench.got).to.include({ ownerId: bench.ownerId, fencingToken: 7 });
    expect([bench.acquires, bench.counts("release")]).to.deep.equal([
      [1, 1, 1],
      [0, 0, 0],
    ]);
  });

  it("counts the votes of a node once", () => {
    const bench = new GrantsBench();
    bench.grant(1);
    bench.grant(1);
    expect(bench.outcomes).to.deep.equal([]);
  });

  for (const agoMs of [
    [30, 70],
    [70, 30],
  ] as const) {
    it(`counts validity from the oldest call on which a node relied, of ${agoMs.join(" and ")} ms`, () => {
      const bench = new GrantsBench();
      const nowMs = bench.clock.now();
      bench.grant(0, agoMs[0]);
      bench.grant(2, agoMs[1]);
      expect(bench.got.validUntilMs).to.equal(nowMs - 70 + 988);
    });
  }

  it("counts it from there also where the others are asked", () => {
    const bench = new GrantsBench();
    const nowMs = bench.clock.now();
    bench.grant(0, 70);
    bench.clock.advance(GATHER_MS);
    bench.answer("acquire", [undefined, granted(7)]);
    expect(bench.got.validUntilMs).to.equal(nowMs - 70 + 988);
  });

  it("asks those that say nothing after a moment, and not before, under the same ownerId", () => {
    const bench = new GrantsBench();
    bench.grant(1);
    bench.clock.advance(GATHER_MS - 1);
    expect(bench.acquires).to.deep.equal([1, 1, 1]);
    bench.clock.advance(1);
    expect(bench.acquires).to.deep.equal([2, 1, 2]);
    for (const index of [0, 2]) {
      const { operation } = at(bench.nodes, index).last("acquire");
      expect(operation.ownerId).to.equal(bench.ownerId);
      expect(operation.waiter?.deferred?.ownerId).to.equal(bench.ownerId);
    }
    bench.answer("acquire", [granted(7)]);
    expect(bench.got).to.include({ ownerId: bench.ownerId, fencingToken: 7 });
  });

  for (const [title, bring] of [
    ["after", ["grant", "turn"]],
    ["before", ["turn", "grant"]],
  ] as const) {
    it(`asks the others at once where with those that only keep the name for it, ${title} that, it has a quorum`, () => {
      const bench = new GrantsBench();
      for (const what of bring) {
        expect(bench.acquires).to.deep.equal([1, 1, 1]);
        if (what === "grant") bench.grant(1);
        else bench.context.waitQueues.onTurn(0, KEYS, 20);
      }
      expect(bench.acquires).to.deep.equal([2, 1, 2]);
      bench.clock.advance(GATHER_MS);
      expect(bench.acquires, "once").to.deep.equal([2, 1, 2]);
    });
  }

  it("waits longer for them where messages have come late before", () => {
    const bench = new GrantsBench();
    bench.grant(0);
    bench.clock.advance(GATHER_MS);
    expect(bench.acquires, "asks for the first time").to.deep.equal([1, 2, 2]);
    bench.clock.advance(1);
    bench.grant(1);
    void bench.got.release();
    const { outcomes } = bench.acquire({}, { waitMs: 10_000, maxDelayMs: 2_000, fair: true });
    bench.answer("acquire", [held(60_000), held(60_000), held(60_000)]);
    const before = bench.acquires;
    const own = bench.waitsAs;
    bench.grant(0, 0, own);
    bench.clock.advance(2 * (GATHER_MS + 1) - 0.5);
    expect(bench.acquires).to.deep.equal(before);
    bench.grant(1, 0, own);
    expect(outcomes[0]).to.include({ kind: "granted" });
  });

  it("counts a message that comes while it asks, although the node has refused it", () => {
    const bench = new GrantsBench();
    bench.grant(1);
    bench.clock.advance(GATHER_MS);
    bench.answer("acquire", [held(900)]);
    expect(bench.outcomes).to.deep.equal([]);
    bench.grant(0);
    expect(bench.got).to.include({ ownerId: bench.ownerId, fencingToken: 7 });
  });

  for (const { title, bring, isLeft } of [
    { title: "by messages alone", bring: (b: GrantsBench) => b.grant(2), isLeft: false },
    {
      title: "by a message, before its answer",
      bring: (b: GrantsBench) => b.grant(0),
      isLeft: true,
    },
    {
      title: "by a message, before it refuses it",
      bring: (b: GrantsBench) => (b.grant(0), b.answer("acquire", [held(900)])),
      isLeft: true,
    },
    {
      title: "by a message, before it answers that it has granted it",
      bring: (b: GrantsBench) => (b.grant(0), b.answer("acquire", [granted(7)])),
      isLeft: false,
    },
    {
      title: "by a message once others had granted it, before it refuses it",
      bring: (b: GrantsBench) => (
        at(b.nodes, 2).answer("acquire", granted(7)),
        b.grant(0),
        b.answer("acquire", [held(900)])
      ),
      isLeft: true,
    },
  ]) {
    it(`W4: ${isLeft ? "leaves" : "does not leave"} the queues with its release where a node had granted it ${title}`, () => {
      const bench = new GrantsBench();
      bench.grant(1);
      if (title !== "by messages alone") bench.clock.advance(GATHER_MS);
      bring(bench);
      at(bench.nodes, 2).answer("acquire", granted(7));
      bench.grant(0);
      bench.got.onTaken();
      const { waiter } = at(bench.nodes, 0).last("release").operation;
      expect(waiter !== undefined).to.equal(isLeft);
    });
  }

  describe("L1: at its deadline", () => {
    const WAIT_MS = 400;

    it("is not begun again by a message while it only waits for the reason why it fails", () => {
      const bench = new GrantsBench(WAIT_MS);
      bench.clock.advance(WAIT_MS - 100);
      expect(bench.acquires, "the last time").to.deep.equal([2, 2, 2]);
      bench.answer("acquire", [held(900), fault()]);
      const next = bench.waitsAs;
      bench.clock.advance(1);
      bench.grant(0, 0, next);
      bench.clock.advance(50);
      expect(bench.outcomes.map(({ kind }) => kind)).to.deep.equal(["unreachable"]);
      expect(bench.acquires).to.deep.equal([2, 2, 2]);
      expect(at(bench.nodes, 0).last("release").operation.ownerId).to.equal(next);
    });

    it("asks the others no later, although their messages may be on their way", () => {
      const bench = new GrantsBench(WAIT_MS);
      bench.clock.advance(WAIT_MS - 100 - GATHER_MS / 2);
      bench.grant(0);
      bench.clock.advance(GATHER_MS / 2);
      expect(bench.acquires).to.deep.equal([1, 2, 2]);
    });
  });

  it("takes no message for a grant that proves nothing for its ownerId", () => {
    const bench = new GrantsBench();
    for (const index of [0, 1, 2]) bench.grant(index, 0, "another");
    bench.clock.advance(GATHER_MS);
    expect([bench.outcomes, bench.acquires]).to.deep.equal([[], [1, 1, 1]]);
  });

  it("seals the highest fence where nodes have drawn different ones", () => {
    const bench = new GrantsBench();
    bench.grant(0, 0, bench.ownerId, 7);
    bench.grant(1, 0, bench.ownerId, 9);
    expect(at(bench.nodes, 0).last("seal").operation).to.include({ fence: 9 });
    bench.answer("seal", [granted(9)]);
    expect(bench.got.fencingToken).to.equal(9);
  });

  it("is not granted where too little validity is left by the calls on which nodes relied", () => {
    const bench = new GrantsBench();
    bench.grant(0, 990);
    bench.grant(1);
    expect(bench.outcomes.filter(({ kind }) => kind === "granted")).to.deep.equal([]);
    for (const node of bench.nodes)
      expect(node.all("release").map(({ operation }) => operation.ownerId)).to.include(
        bench.ownerId,
      );
  });

  it("is rolled back on all nodes where the others refuse it, and waits under another ownerId", () => {
    const bench = new GrantsBench();
    bench.grant(1);
    bench.clock.advance(GATHER_MS);
    bench.answer("acquire", [held(900), undefined, held(900)]);
    for (const node of bench.nodes) {
      const { operation, mayHold } = node.last("release");
      expect([operation.ownerId, mayHold]).to.deep.equal([bench.ownerId, true]);
    }
    const next = bench.waitsAs;
    expect(next).to.not.equal(bench.ownerId);
    bench.grant(0, 0, next);
    bench.grant(2, 0, next);
    expect(bench.got.ownerId).to.equal(next);
  });

  it("counts no message for the ownerId that was rolled back", () => {
    const bench = new GrantsBench();
    bench.grant(1);
    bench.clock.advance(GATHER_MS);
    bench.answer("acquire", [held(900), undefined, held(900)]);
    const asked = bench.acquires;
    for (const index of [0, 1, 2]) bench.grant(index);
    expect([bench.outcomes, bench.acquires]).to.deep.equal([[], asked]);
  });

  it("gives up the attempt that is rolled back, and only waits for its reason, for the next one", () => {
    const bench = new GrantsBench();
    bench.grant(1);
    bench.clock.advance(GATHER_MS);
    // Lost, as one refuses and one fails; the reason is not known.
    bench.answer("acquire", [{ ...held(900), holder: "b" }, undefined, fault("server", true)]);
    const next = bench.waitsAs;
    expect(next).to.not.equal(bench.ownerId);
    bench.grant(0, 0, next);
    bench.grant(1, 0, next);
    expect(bench.got.ownerId).to.equal(next);
  });

  it("gives up the attempt out of turn, which has another owner, once its place is first", () => {
    const bench = new GrantsBench();
    const behind = bench.acquire({}, { waitMs: 200 });
    bench.clock.advance(200);
    const outOfTurn = at(bench.nodes, 0).last("acquire").operation;
    expect(outOfTurn.waiter).to.equal(undefined);
    bench.abort();
    // What was left before it asked: it was not admitted at once.
    const next = bench.context.waitQueues.of(KEYS)?.first?.toSend()?.deferred?.ownerId ?? "";
    bench.grant(0, 0, next);
    bench.grant(1, 0, next);
    expect(
      behind.outcomes.map((outcome) => outcome.kind === "granted" && outcome.lease.ownerId),
    ).to.deep.equal([next]);
    for (const node of bench.nodes)
      expect(node.all("release").map(({ operation }) => operation.ownerId)).to.include(
        outOfTurn.ownerId,
      );
  });

  it("releases its ownerId on all nodes when it leaves ungranted, and its place goes to the next", () => {
    const bench = new GrantsBench();
    const behind = bench.acquire({}, { waitMs: 10_000, fair: true });
    bench.abort();
    for (const node of bench.nodes) {
      const { operation, mayHold } = node.last("release");
      expect([operation.ownerId, mayHold]).to.deep.equal([bench.ownerId, true]);
    }
    for (const index of [0, 1]) bench.grant(index);
    expect(behind.outcomes, "it is not the next one's").to.deep.equal([]);
  });

  it("withdraws it with its own place where nobody else waits", () => {
    const bench = new GrantsBench();
    bench.abort();
    const { waiter } = at(bench.nodes, 0).last("release").operation;
    expect(waiter).to.include({ ticket: 0, deferred: undefined });
  });

  it("is all that is sent where it leaves, also with an attempt in flight", () => {
    for (const isAsking of [false, true]) {
      const bench = new GrantsBench();
      if (isAsking) {
        bench.grant(1);
        bench.clock.advance(GATHER_MS);
      }
      const before = bench.nodes.map(({ asks }) => asks.length);
      bench.abort();
      for (const [index, { asks }] of bench.nodes.entries()) {
        const sent = asks.slice(before[index]).map(({ operation }) => operation);
        expect(sent).to.have.length(1);
        expect(sent[0]).to.include({ kind: "release", ownerId: bench.ownerId });
        expect(sent[0]?.kind === "release" && sent[0].waiter?.ticket).to.equal(0);
      }
    }
  });

  it("sends no release for one that leaves from behind, and has left no acquire anywhere", () => {
    const bench = new GrantsBench();
    const behind = bench.acquire({}, { waitMs: 10_000, fair: true });
    const before = bench.nodes.map(({ asks }) => asks.length);
    behind.abort();
    expect(bench.nodes.map(({ asks }) => asks.length)).to.deep.equal(before);
  });

  describe("by a quorum, and then by another", () => {
    it("has the lock there, too, so that nothing is healed", () => {
      const bench = new GrantsBench();
      bench.grant(0);
      bench.grant(1);
      bench.grant(2);
      expect(bench.got.ownerId).to.equal(bench.ownerId);
      bench.clock.advance(100);
      expect(bench.counts("heal")).to.deep.equal([0, 0, 0]);
    });

    it("heals the node that says nothing", () => {
      const bench = new GrantsBench();
      bench.grant(0);
      bench.grant(1);
      bench.clock.advance(100);
      expect(bench.counts("heal")).to.deep.equal([0, 0, 1]);
    });

    it("heals the node that has drawn another fence", () => {
      const bench = new GrantsBench();
      bench.grant(0);
      bench.grant(1);
      bench.grant(2, 0, bench.ownerId, 9);
      bench.clock.advance(100);
      expect(bench.counts("heal")).to.deep.equal([0, 0, 1]);
    });

    it("heals the node that has granted another owner's", () => {
      const bench = new GrantsBench();
      bench.grant(0);
      bench.grant(1);
      bench.grant(2, 0, "another");
      bench.clock.advance(100);
      expect(bench.counts("heal")).to.deep.equal([0, 0, 1]);
    });
  });
});
