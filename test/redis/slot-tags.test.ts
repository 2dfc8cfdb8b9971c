import keySlot from "cluster-key-slot";
import { expect } from "chai";
import { hashedTags, SLOT_COUNT, slotTags } from "../../src/redis/slot-tags.js";

describe("the tags of the hash slots", () => {
  it("are the smallest number in each slot", async () => {
    const tags = await slotTags();
    expect(tags).to.have.length(SLOT_COUNT);
    const smallest = new Map<number, string>();
    for (let next = 0; smallest.size < SLOT_COUNT; next++) {
      const slot = keySlot(String(next));
      if (!smallest.has(slot)) smallest.set(slot, String(next));
    }
    for (const [slot, tag] of smallest) expect(tags[slot]).to.equal(tag);
  });

  it("are found once for the process, with other work in between", async () => {
    let betweenCount = 0;
    let isDone = false;
    const between = (): void => {
      betweenCount++;
      if (!isDone) setImmediate(between);
    };
    setImmediate(between);
    await hashedTags();
    isDone = true;
    expect(betweenCount).to.be.above(20);
    expect(slotTags()).to.equal(slotTags());
  });
});
