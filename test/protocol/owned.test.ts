import { expect } from "chai";
import { assert, pre, property, string } from "fast-check";
import keySlot from "cluster-key-slot";
import { isOneSlot, keysOf } from "../../src/protocol/keys.js";
import { sharedKeys } from "../../src/protocol/layout.js";
import {
  againKeys,
  enteredKeys,
  isAgain,
  isRedisson,
  ownedKeys,
  ownerOf,
  OWNER_PREFIX,
  redissonChannel,
  redissonKeys,
} from "../../src/protocol/owned.js";

const names = string({ minLength: 1 });

describe("keys of an owner", () => {
  it("are in the slot of the name, and no other key of it", () => {
    assert(
      property(names, names, (name, owner) => {
        const plain = keysOf("lock:", name);
        pre(isOneSlot(plain));
        const { layout, ...rest } = ownedKeys(plain, owner);
        expect(rest).to.deep.equal(plain);
        expect(layout?.keys).to.have.length(1);
        for (const key of layout?.keys ?? []) {
          expect(keySlot(key)).to.equal(keySlot(plain.lockKey));
          expect([plain.lockKey, plain.fenceKey, plain.queueKey]).not.to.include(key);
        }
        expect(redissonKeys(plain, owner).layout?.keys).to.deep.equal([]);
      }),
    );
  });

  const plain = keysOf("", "a");
  for (const [title, keys, owner, isHash] of [
    ["a plain lock", plain, undefined, false],
    ["readers", sharedKeys(plain), undefined, false],
    ["an owner", ownedKeys(plain, "job"), "job", false],
    ["Redisson, for an owner", redissonKeys(plain, "job"), "job", true],
    ["Redisson, for none", redissonKeys(plain), undefined, true],
  ] as const) {
    it(`tell whose they are, and in which layout: ${title}`, () => {
      expect(ownerOf(keys)).to.equal(owner);
      expect(isRedisson(keys)).to.equal(isHash);
      expect([isAgain(keys), isAgain(againKeys(keys))]).to.deep.equal([
        false,
        owner !== undefined || isHash,
      ]);
      expect(ownerOf(againKeys(keys))).to.equal(owner);
      expect(isRedisson(againKeys(keys))).to.equal(isHash);
      expect(enteredKeys(againKeys(keys))).to.deep.equal(keys);
      expect(enteredKeys(keys)).to.equal(keys);
    });
  }

  it("have the owner where the label of a plain lock stands", () => {
    // 22 characters of an ownerId, and a colon.
    expect(OWNER_PREFIX).to.have.length(23).and.match(/:$/);
  });

  // As `prefixName` of Redisson's RedissonObject does it.
  for (const [key, channel] of [
    ["stock:7", "redisson_lock__channel:{stock:7}"],
    ["{user:1}:cart", "redisson_lock__channel:{user:1}:cart"],
    ["a}b", "redisson_lock__channel:{a}b}"],
  ] as const) {
    it(`tell Redisson's waiters of ${key} on ${channel}`, () => {
      expect(redissonChannel(key)).to.equal(channel);
    });
  }
});
