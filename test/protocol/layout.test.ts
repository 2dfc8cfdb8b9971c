import { expect } from "chai";
import { assert, pre, property, string, uniqueArray } from "fast-check";
import keySlot from "cluster-key-slot";
import { isOneSlot, keysOf } from "../../src/protocol/keys.js";
import {
  includesName,
  isShared,
  membersOfSet,
  severalKeys,
  sharedKeys,
  stolenKeys,
} from "../../src/protocol/layout.js";

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

  it("of a theft are those of the plain mutex", () => {
    const plain = keysOf("lock:", "name");
    const { layout, ...rest } = stolenKeys(plain);
    expect(rest).to.deep.equal(plain);
    expect(layout).to.deep.equal({ kind: "stolen", keys: [], args: [] });
  });

  it("include a name whether it is alone, read, or one of several", () => {
    const [a, b, c] = ["a", "b", "c"].map((name) => keysOf("lock:", name));
    if (a === undefined || b === undefined || c === undefined) throw new Error("no keys");
    for (const keys of [a, sharedKeys(a), severalKeys([a, b]), severalKeys([b, a])]) {
      expect(includesName(keys, a.lockKey)).to.equal(true);
      expect(includesName(keys, c.lockKey)).to.equal(false);
    }
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
