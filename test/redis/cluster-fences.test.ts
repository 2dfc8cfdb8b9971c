import keySlot from "cluster-key-slot";
import { expect } from "chai";
import { keysOf } from "../../src/kinds/exclusive.js";
import { severalLock } from "../../src/kinds/several.js";
import { fencesKey, inSmallTable } from "../../src/redis/cluster-fences.js";
import { slotTags } from "../../src/redis/slot-tags.js";
import { operation } from "../support/channel-bench.js";

describe("the fences of a Cluster", () => {
  it("stand in the hash slot that they are for, each in a key of ours", async () => {
    const tags = await slotTags();
    const keys = tags.map(fencesKey);
    expect(keys.map((key) => keySlot(key))).to.deep.equal(keys.map((_, slot) => slot));
    expect(new Set(keys).size).to.equal(keys.length);
    for (const key of keys) expect(key).to.match(/^quorate:fences:\{\d+\}$/);
  });

  it("are sixteen a slot, whatever the name, and one for each name of a set", () => {
    const names = Array.from({ length: 300 }, (_, index) => keysOf("lock:", `{t}${index}`));
    const buckets = names.map((keys) => inSmallTable(operation("acquire", "me", { keys })).keys);
    expect(new Set(buckets.map(({ fenceBucket }) => fenceBucket)).size).to.equal(16);
    const set = inSmallTable(operation("acquire", "me", { keys: severalLock(names.slice(0, 3)) }));
    expect(set.keys.fenceBucket).to.match(/^\d+,\d+,\d+$/);
    const each = set.keys.fenceBucket.split(",").map(Number);
    expect(Math.max(...each)).to.be.below(16);
  });

  it("are told in bytes of their own: those for other nodes stay", () => {
    const asked = operation("acquire", "me");
    asked.wire = "as it is sent to other nodes";
    const { fenceBucket } = asked.keys;
    expect(inSmallTable(asked).wire).to.equal(undefined);
    expect(asked).to.deep.include({ wire: "as it is sent to other nodes" });
    expect(asked.keys.fenceBucket).to.equal(fenceBucket);
  });
});
