import { expect } from "chai";
import type { Entry } from "../../src/channel/entry.js";
import { PendingReleases } from "../../src/channel/pending-releases.js";
import type { OperationKind, OperationOf } from "../../src/protocol/operation.js";
import type { Waiter } from "../../src/protocol/node-queue.js";
import { operation } from "../support/channel-bench.js";
import { ManualClock } from "../support/manual-clock.js";
import { fault, granted } from "../support/votes.js";

const entry = (kind: OperationKind, ownerId: string, ttlMs = 1_000): Entry => ({
  operation: operation(kind, ownerId, { ttlMs }),
  receiver: { onVote: () => {} },
  index: 0,
  mayHold: true,
  wasSent: false,
});
const release = (ownerId: string, ttlMs?: number): Entry => entry("release", ownerId, ttlMs);

/** Of a node that is ready. */
function owed() {
  const clock = new ManualClock();
  const pushed: (Entry & { readonly wasHeldBack: boolean })[] = [];
  const node = { isReady: true };
  const releases = new PendingReleases(clock, {
    isReady: () => node.isReady,
    push: (each, wasHeldBack) => pushed.push({ ...each, wasHeldBack }),
  });
  return {
    ...{ clock, node, releases },
    /** What was sent since it was asked last. */
    sent: () => pushed.splice(0),
    owners: () => pushed.splice(0).map(({ operation: { ownerId } }) => ownerId),
  };
}

const WAITER: Waiter = {
  ...{ inbox: "inbox", ticket: 5, turnMs: 20 },
  deferred: { ownerId: "deferred", ttlMs: 1_000, maxAgeMs: 100 },
};

describe("PendingReleases", () => {
  it("keeps nothing while no connection ever carried an acquire", () => {
    const { releases } = owed();
    expect(releases.keep(release("a"))).to.equal(false);
    expect(releases.size).to.equal(0);
  });

  it("keeps the release of what the node had answered until one key life after the close", () => {
    const { clock, releases, owners } = owed();
    releases.onClosed([]);
    expect(releases.keep(release("early"))).to.equal(true);
    clock.advance(999);
    expect(releases.keep(release("last"))).to.equal(true);
    releases.sendAll();
    expect(owners()).to.deep.equal(["early", "last"]);
    clock.advance(1);
    expect(releases.keep(release("late"))).to.equal(false);
  });

  for (const kind of ["acquire", "extend", "heal", "release"] as const) {
    it(`keeps the release of one whose ${kind} was on its way for however long it takes`, () => {
      const { clock, releases, owners } = owed();
      releases.onClosed([entry(kind, "a")]);
      clock.advance(60_000);
      expect(releases.keep(release("a"))).to.equal(true);
      clock.advance(3_600_000);
      releases.prune();
      releases.sendAll();
      expect(owners()).to.deep.equal(["a"]);
    });
  }

  it("drops what can no longer matter, and sends the rest in order, before what comes later", () => {
    const { clock, releases, sent } = owed();
    releases.onClosed([entry("acquire", "e")]);
    for (const [owner, ttlMs] of [
      ["a", 500],
      ["b", 2_000],
      ["c", 700],
      ["e", 100],
      ["d", 3_000],
    ] as const) {
      releases.keep(release(owner, ttlMs));
    }
    clock.advance(700);
    releases.sendAll();
    const found = sent().map(({ operation: { ownerId }, wasHeldBack }) => [ownerId, wasHeldBack]);
    expect(found).to.deep.equal(["b", "e", "d"].map((owner) => [owner, true]));
    releases.sendAll();
    expect(sent()).to.deep.equal([]);
  });

  it("counts anew from every close that may have carried more", () => {
    const { clock, releases } = owed();
    releases.onClosed([]);
    releases.keep(release("a"));
    clock.advance(900);
    releases.onClosed([]);
    clock.advance(999);
    releases.prune();
    expect(releases.size).to.equal(1);
    clock.advance(1);
    releases.prune();
    expect(releases.size).to.equal(0);
  });

  it("puts nobody into the queue with what it kept, and withdraws what its owner may have left there", () => {
    const { releases, sent } = owed();
    releases.onClosed([]);
    const own = release("a");
    releases.keep({ ...own, operation: operation("release", "a", { waiter: WAITER }) });
    releases.sendAll();
    const [kept = own] = sent();
    const { waiter, ...rest } = kept.operation as OperationOf<"release">;
    expect(waiter).to.deep.equal({ ...WAITER, ticket: 0, deferred: undefined });
    const { waiter: _, ...others } = operation("release", "a") as OperationOf<"release">;
    expect(rest).to.deep.equal(others);
  });

  for (const kind of ["acquire", "release"] as const) {
    it(`keeps the release of one whose acquire was deferred by a ${kind} on its way for however long`, () => {
      const { clock, releases, owners } = owed();
      const unanswered = operation(kind, "a", { waiter: WAITER });
      releases.onClosed([{ ...release("a"), operation: unanswered }]);
      clock.advance(60_000);
      expect(releases.keep(release("deferred"))).to.equal(true);
      expect(releases.keep(release("another"))).to.equal(false);
      clock.advance(3_600_000);
      releases.sendAll();
      expect(owners()).to.deep.equal(["deferred"]);
    });
  }

  it("knows that what was on its way is over once a later connection carried something", () => {
    const { clock, releases } = owed();
    releases.onClosed([entry("acquire", "a")]);
    clock.advance(10_000);
    releases.onClosed([entry("acquire", "b")]);
    clock.advance(1_000);
    expect(releases.keep(release("a"))).to.equal(false);
    expect(releases.keep(release("b"))).to.equal(true);
  });

  it("sends one of those that failed a second, until their keys have expired, whatever connection there was", () => {
    const { clock, releases, sent } = owed();
    for (const owner of ["a", "b"]) releases.onFailed(release(owner, 2_500), false);
    for (const owner of ["a", "b"]) {
      clock.advance(999);
      expect(sent()).to.deep.equal([]);
      clock.advance(1);
      const [probe, ...others] = sent();
      if (probe === undefined) return expect.fail("none is sent");
      expect(others).to.deep.equal([]);
      expect(probe.operation.ownerId).to.equal(owner);
      // It fails again.
      probe.receiver.onVote(0, fault());
      releases.onFailed(probe, false);
    }
    clock.advance(1_000);
    expect(sent()).to.deep.equal([]);
    expect(releases.size).to.equal(0);
  });

  it("keeps one for another key life that a silent node may execute after what it was sent before", () => {
    const { clock, releases, sent } = owed();
    releases.onFailed(release("a", 1_500), false);
    clock.advance(1_000);
    for (const probe of sent()) releases.onFailed(probe, true);
    clock.advance(1_000);
    expect(sent()).to.have.length(1);
  });

  it("sends the others once the node executes one", () => {
    const { clock, releases, sent, owners } = owed();
    const heard: string[] = [];
    const receiver = { onVote: (_: number, { kind }: { kind: string }) => heard.push(kind) };
    releases.onFailed({ ...release("a", 5_000), receiver }, false);
    for (const owner of ["b", "c"]) releases.onFailed(release(owner, 5_000), false);
    clock.advance(1_000);
    for (const probe of sent()) probe.receiver.onVote(0, granted());
    expect(heard).to.deep.equal(["granted"]);
    expect(owners()).to.deep.equal(["b", "c"]);
  });

  it("sends nothing while the node is away, nor once it is closed", () => {
    const { clock, node, releases, sent, owners } = owed();
    node.isReady = false;
    releases.onFailed(release("a", 5_000), false);
    clock.advance(1_000);
    expect(sent()).to.deep.equal([]);
    node.isReady = true;
    releases.sendAll();
    expect(owners()).to.deep.equal(["a"]);
    releases.onFailed(release("b", 5_000), false);
    expect(releases.close().map(({ operation: { ownerId } }) => ownerId)).to.deep.equal(["b"]);
    expect(clock.timerCount).to.equal(0);
  });

  it("keeps at most 4,096 that failed, the latest, and all others", () => {
    const { releases, owners } = owed();
    releases.onClosed([]);
    releases.keep(release("kept"));
    for (let at = 0; at < 4_096; at++) releases.onFailed(release(`${at}`), false);
    releases.sendAll();
    const left = owners();
    expect(left).to.have.length(4_096).and.include.members(["kept", "1", "4095"]);
    expect(left).to.not.include("0");
  });
});
