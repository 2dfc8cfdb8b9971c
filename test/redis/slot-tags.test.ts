import keySlot from "cluster-key-slot";
import { expect } from "chai";
import {
  completed,
  SLICE_SIZE,
  SLOT_COUNT,
  SlotTags,
  slotTags,
} from "../../src/redis/slot-tags.js";

describe("the tags of the hash slots", () => {
  it("are the smallest number in each slot", async () => {
    const tags = await slotTags();
    const smallest = new Map<number, string>();
    for (let next = 0; smallest.size < SLOT_COUNT; next++) {
      const slot = keySlot(String(next));
      if (!smallest.has(slot)) smallest.set(slot, String(next));
    }
    for (const [slot, tag] of smallest) expect(tags.of(slot)).to.equal(tag);
  });

  it("are found in slices, none of which hashes more than a few thousand numbers", async () => {
    const tags = new SlotTags();
    const deferred: (() => void)[] = [];
    const found = completed(tags, (callback) => deferred.push(callback));
    expect(tags.hashedCount, "from within the call").to.equal(0);
    let sliceCount = 0;
    for (let next = deferred.shift(); next !== undefined; next = deferred.shift()) {
      const before = tags.hashedCount;
      expect(tags.isComplete).to.equal(false);
      expect(() => tags.of(0)).to.throw("no tag for hash slot 0 yet");
      next();
      sliceCount++;
      expect(tags.hashedCount - before).to.be.within(1, SLICE_SIZE);
    }
    expect(SLICE_SIZE).to.be.at.most(5_000);
    expect(sliceCount).to.equal(Math.ceil(tags.hashedCount / SLICE_SIZE));
    expect(await found).to.equal(tags);
  });

  it("are found once for the process, with other work in between", async () => {
    const tags = new SlotTags();
    let betweenCount = 0;
    let isDone = false;
    const between = (): void => {
      betweenCount++;
      if (!isDone) setImmediate(between);
    };
    setImmediate(between);
    await completed(tags);
    isDone = true;
    expect(betweenCount).to.be.above(10);
    expect(slotTags()).to.equal(slotTags());
  });
});
