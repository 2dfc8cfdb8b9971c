import { expect } from "chai";
import { exclusiveLock } from "../../src/kinds/exclusive.js";
import { severalLock } from "../../src/kinds/several.js";
import { FENCE_BUCKETS, nameKeys } from "../../src/protocol/keys.js";
import { withFewerBuckets } from "../../src/script/fence-buckets.js";
import { operation } from "../support/channel-bench.js";

const NAMES = ["a", "b", "c"].map((name) => nameKeys("lock:", name));

describe("An operation for a table of fewer fences", () => {
  it("has their buckets, whichever size was asked for before", () => {
    const keys = severalLock(NAMES);
    const asked = { ...operation("acquire", "me", { keys }), wire: "encoded" };
    const buckets = keys.fenceBucket.split(",").map(Number);
    for (const count of [16, 4_096, 16, 3]) {
      const { keys: fewer, wire, ...others } = withFewerBuckets(asked, count);
      expect(fewer.fenceBucket).to.equal(buckets.map((bucket) => bucket % count).join(","));
      expect(fewer.lockKeys).to.equal(keys.lockKeys);
      expect(wire, "of the other table").to.equal(undefined);
      expect(others).to.include({ kind: "acquire", ownerId: "me" });
    }
    expect(keys.fenceBucket, "of the other nodes").to.equal(buckets.join(","));
  });

  it("is the same for a table of all", () => {
    const asked = operation("acquire", "me", { keys: exclusiveLock(nameKeys("lock:", "a")) });
    expect(withFewerBuckets(asked, FENCE_BUCKETS)).to.equal(asked);
  });
});
