import { expect } from "chai";
import type { Entry } from "../../src/channel/entry.js";
import { PendingReleases } from "../../src/channel/pending-releases.js";
import type { OperationKind, OperationOf } from "../../src/protocol/operation.js";
import type { Waiter } from "../../src/protocol/node-queue.js";
import { operation } from "../support/channel-bench.js";

const entry = (kind: OperationKind, ownerId: string, ttlMs = 1_000): Entry => ({
  operation: operation(kind, ownerId, { ttlMs }),
  receiver: { onVote: () => {} },
  index: 0,
  mayHold: true,
  wasSent: false,
});
const release = (ownerId: string, ttlMs?: number): Entry => entry("release", ownerId, ttlMs);

const owners = (entries: readonly Entry[]): string[] =>
  entries.map(({ operation: { ownerId } }) => ownerId);

const WAITER: Waiter = {
  ...{ inbox: "inbox", ticket: 5, turnMs: 20 },
  deferred: { ownerId: "deferred", ttlMs: 1_000, maxAgeMs: 100 },
};

describe("PendingReleases", () => {
  it("keeps nothing while no connection ever carried an acquire", () => {
    const releases = new PendingReleases();
    expect(releases.keep(release("a"), 0)).to.equal(false);
    expect(releases.size).to.equal(0);
  });

  it("keeps the release of what the node had answered until one key life after the close", () => {
    const releases = new PendingReleases();
    releases.onClosed(5_000, []);
    expect(releases.keep(release("early"), 5_000)).to.equal(true);
    expect(releases.keep(release("last"), 5_999)).to.equal(true);
    expect(releases.keep(release("late"), 6_000)).to.equal(false);
    expect(owners(releases.takeAll(5_999))).to.deep.equal(["early", "last"]);
  });

  for (const kind of ["acquire", "extend", "heal", "release"] as const) {
    it(`keeps the release of one whose ${kind} was on its way for however long it takes`, () => {
      const releases = new PendingReleases();
      releases.onClosed(5_000, [entry(kind, "a")]);
      expect(releases.keep(release("a"), 60_000)).to.equal(true);
      releases.prune(3_600_000);
      expect(owners(releases.takeAll(3_600_000))).to.deep.equal(["a"]);
    });
  }

  it("drops what can no longer matter, and takes out the rest in order", () => {
    const releases = new PendingReleases();
    releases.onClosed(0, [entry("acquire", "e")]);
    for (const [owner, ttlMs] of [
      ["a", 500],
      ["b", 2_000],
      ["c", 700],
      ["e", 100],
      ["d", 3_000],
    ] as const) {
      releases.keep(release(owner, ttlMs), 50);
    }
    expect(owners(releases.takeAll(700))).to.deep.equal(["b", "e", "d"]);
    expect(releases.takeAll(700)).to.deep.equal([]);
  });

  it("counts anew from every close that may have carried more", () => {
    const releases = new PendingReleases();
    releases.onClosed(0, []);
    releases.keep(release("a"), 100);
    releases.onClosed(900, []);
    releases.prune(1_899);
    expect(releases.size).to.equal(1);
    releases.prune(1_900);
    expect(releases.size).to.equal(0);
  });

  it("puts nobody into the queue with what it kept, and withdraws what its owner may have left there", () => {
    const releases = new PendingReleases();
    releases.onClosed(0, []);
    const own = release("a");
    releases.keep({ ...own, operation: operation("release", "a", { waiter: WAITER }) }, 0);
    const [kept = own] = releases.takeAll(0);
    const { waiter, ...rest } = kept.operation as OperationOf<"release">;
    expect(waiter).to.deep.equal({ ...WAITER, ticket: 0, deferred: undefined });
    const { waiter: _, ...others } = operation("release", "a") as OperationOf<"release">;
    expect(rest).to.deep.equal(others);
  });

  for (const kind of ["acquire", "release"] as const) {
    it(`keeps the release of one whose acquire was deferred by a ${kind} on its way for however long`, () => {
      const releases = new PendingReleases();
      const unanswered = operation(kind, "a", { waiter: WAITER });
      releases.onClosed(5_000, [{ ...release("a"), operation: unanswered }]);
      expect(releases.keep(release("deferred"), 60_000)).to.equal(true);
      expect(releases.keep(release("another"), 60_000)).to.equal(false);
      expect(owners(releases.takeAll(3_600_000))).to.deep.equal(["deferred"]);
    });
  }

  it("knows that what was on its way is over once a later connection carried something", () => {
    const releases = new PendingReleases();
    releases.onClosed(0, [entry("acquire", "a")]);
    releases.onClosed(10_000, [entry("acquire", "b")]);
    expect(releases.keep(release("a"), 11_000)).to.equal(false);
    expect(releases.keep(release("b"), 11_000)).to.equal(true);
  });

  it("keeps those that failed until their keys have expired, whatever connection there was", () => {
    const releases = new PendingReleases();
    releases.keepFailed(release("a"), 5_000);
    // It fails again.
    const again = releases.takeOne(5_500);
    if (again === undefined) return expect.fail("it is gone");
    releases.keepFailed(again, 5_500);
    expect(releases.takeOne(6_000)).to.equal(undefined);
  });

  it("keeps at most 4,096 that failed, the latest, and all others", () => {
    const releases = new PendingReleases();
    releases.onClosed(0, []);
    releases.keep(release("kept"), 0);
    for (let at = 0; at < 4_096; at++) releases.keepFailed(release(`${at}`), 0);
    const left = owners(releases.takeAll(0));
    expect(left).to.have.length(4_096).and.include.members(["kept", "1", "4095"]);
    expect(left).to.not.include("0");
  });
});
