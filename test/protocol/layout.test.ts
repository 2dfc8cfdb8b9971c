import { expect } from "chai";
import { assert, pre, property, string } from "fast-check";
import keySlot from "cluster-key-slot";
import { isOneSlot, keysOf } from "../../src/protocol/keys.js";
import { isShared, sharedKeys } from "../../src/protocol/layout.js";

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
});
