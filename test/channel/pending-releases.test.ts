import { expect } from "chai";
import type { Entry } from "../../src/channel/entry.js";
import { PendingReleases } from "../../src/channel/pending-releases.js";
import { operation } from "../support/channel-bench.js";

const release = (ownerId: string, ttlMs = 1_000): Entry => ({
  operation: operation("release", ownerId, { ttlMs }),
  receiver: { onVote: () => {} },
  index: 0,
  mayHold: true,
  wasSent: false,
});

const owners = (entries: readonly Entry[]): string[] =>
  entries.map(({ operation: { ownerId } }) => ownerId);

describe("PendingReleases", () => {
  it("keeps nothing while no connection ever carried an acquire", () => {
    const releases = new PendingReleases();
    expect(releases.keep(release("a"), 0)).to.equal(false);
    expect(releases.size).to.equal(0);
  });

  it("keeps a release until one key life after the close, not after its own sending", () => {
    const releases = new PendingReleases();
    releases.onClosed(5_000);
    expect(releases.keep(release("early"), 5_000)).to.equal(true);
    expect(releases.keep(release("last"), 5_999)).to.equal(true);
    expect(releases.keep(release("late"), 6_000)).to.equal(false);
    expect(owners(releases.takeAll(5_999))).to.deep.equal(["early", "last"]);
  });

  it("takes out in order what can still matter, and forgets the rest", () => {
    const releases = new PendingReleases();
    releases.onClosed(0);
    for (const [owner, ttlMs] of [
      ["a", 500],
      ["b", 2_000],
      ["c", 700],
      ["d", 3_000],
    ] as const) {
      releases.keep(release(owner, ttlMs), 100);
    }
    expect(owners(releases.takeAll(700))).to.deep.equal(["b", "d"]);
    expect(releases.takeAll(700)).to.deep.equal([]);
  });

  it("counts anew from every close that may have carried more", () => {
    const releases = new PendingReleases();
    releases.onClosed(0);
    releases.keep(release("a"), 100);
    releases.onClosed(900);
    releases.prune(1_899);
    expect(releases.size).to.equal(1);
    releases.prune(1_900);
    expect(releases.size).to.equal(0);
  });
});
