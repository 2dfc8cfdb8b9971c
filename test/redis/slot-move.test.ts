import keySlot from "cluster-key-slot";
import { expect } from "chai";
import { fencesKey } from "../../src/redis/cluster-fences.js";
import { absentKey, MOVING } from "../../src/redis/slot-move.js";
import { slotTags } from "../../src/redis/slot-tags.js";

describe("a hash slot that is moved", () => {
  it("has a key of ours that is no other", async () => {
    const tags = await slotTags();
    const keys = tags.map(absentKey);
    expect(keys.map((key) => keySlot(key))).to.deep.equal(keys.map((_, slot) => slot));
    expect(new Set(keys).size).to.equal(keys.length);
    for (const [slot, key] of keys.entries()) {
      expect(key).to.match(/^quorate:absent:\{\d+\}$/);
      expect(key).to.not.equal(fencesKey(tags[slot] as string));
    }
  });

  it("is a fault that had no effect: nothing is owed to it", () => {
    expect(MOVING).to.include({ kind: "fault", fault: "server", sent: false });
  });
});
