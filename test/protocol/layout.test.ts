import { expect } from "chai";
import { assert, pre, property, string, uniqueArray } from "fast-check";
import keySlot from "cluster-key-slot";
import { isOneSlot, keysOf } from "../../src/protocol/keys.js";
import { isShared, membersOfSet, severalKeys, sharedKeys } from "../../src/protocol/layout.js";

describe("keys of a layout", () => {
  it("are in the slot of the name, and no other key of it", () => {
    assert(
      property(string({ minLength: 1 }), (name) => {
        const plain = keysOf("lock:", name);
        pre(isOneSlot(plain));
        const { layout, ...rest } = sharedKeys(plain);
        expect([isShared(plain), isShared(sharedKeys(plain))]).to.deep.equal([false, true]);
        expect(rest).to.deep.equal(plain);
        for (const key of layout?.keys ?? []) {
          expect(keySlot(key)).to.equal(keySlot(plain.lockKey));
          expect([plain.lockKey, plain.fenceKey, plain.queueKey]).not.to.include(key);
        }
      }),
    );
  });

  it("of several names are the keys of each, whatever their order", () => {
    const names = uniqueArray(string({ minLength: 1 }), { minLength: 2, maxLength: 6 });
    assert(
      property(names, (given) => {
        const all = given.map((name) => keysOf("lock:", name));
        const set = severalKeys(all);
        expect(severalKeys(all.toReversed())).to.deep.equal(set);
        expect(new Set(set.names)).to.deep.equal(new Set(given));
        const members = membersOfSet(set).map(({ lockKey, fenceKey, queueKey }) => {
          return { lockKey, fenceKey, queueKey };
        });
        const plain = all.map(({ lockKey, fenceKey, queueKey }) => ({
          lockKey,
          fenceKey,
          queueKey,
        }));
        expect(members).to.have.deep.members(plain);
      }),
    );
  });

  it("of one name are its own", () => {
    const plain = keysOf("lock:", "a");
    expect(severalKeys([plain])).to.deep.equal(plain);
    expect(membersOfSet(plain)).to.deep.equal([plain]);
  });
});
