import keySlot from "cluster-key-slot";
import { expect } from "chai";
import * as fc from "fast-check";
import {
  companionKey,
  FENCE_BUCKETS,
  fenceBucketOf,
  channelInSlot,
  inboxChannel,
  watchChannel,
  hashSlotOf,
  hashTag,
  isOneSlot,
  lockKeyPattern,
  RECORD_KEY,
  RESERVED_PREFIX,
  nameKeys,
  nameOfKey,
  queueKeyOf,
} from "../../src/protocol/keys.js";

/** Strings in which braces, and parts of our own keys, are far more likely than elsewhere. */
const part = fc.oneof(
  fc.constantFrom(
    "{",
    "}",
    "{}",
    "}{",
    "{a}",
    "lock:",
    "quorate:",
    "quorate:fence:",
    "fence-of-tagged:",
  ),
  fc.constantFrom("a", "b", ":", "ä", "锁"),
  fc.string({ maxLength: 3 }),
);
const name = fc
  .array(part, { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join(""))
  .filter((text) => text !== "");
const prefix = fc.oneof(fc.constant("lock:"), fc.constant(""), name);
const many = { numRuns: 2_000 };

describe("nameKeys", () => {
  it("makes the canonical lock key", () => {
    expect(nameKeys("lock:", "invoice:42")).to.deep.equal({
      name: "invoice:42",
      lockKey: "lock:invoice:42",
      fenceBucket: "65083",
    });
  });

  it("has a queue key next to the lock key", () => {
    const keys = nameKeys("lock:", "invoice:42");
    expect(queueKeyOf(keys)).to.equal("quorate:queue:{lock:invoice:42}");
  });

  it("keeps the hash tag of a name that has one", () => {
    expect(queueKeyOf(nameKeys("lock:", "{user}:1"))).to.equal(
      "quorate:queue-of-tagged:lock:{user}:1",
    );
  });

  it("never lets two names share any key", () => {
    fc.assert(
      fc.property(prefix, name, name, (keyPrefix, a, b) => {
        fc.pre(a !== b);
        const [first, second] = [nameKeys(keyPrefix, a), nameKeys(keyPrefix, b)];
        const keys = [first, second].flatMap((k) => [k.lockKey, queueKeyOf(k)]);
        fc.pre(!first.lockKey.startsWith(RESERVED_PREFIX));
        fc.pre(!second.lockKey.startsWith(RESERVED_PREFIX));
        expect(new Set(keys).size, keys.join(" ")).to.equal(4);
      }),
      many,
    );
  });

  it("tells a name in braces from the same name without", () => {
    const keys = ["x", "{x}", "{x", "x}", "{{x}}", "{}x"].map((n) => queueKeyOf(nameKeys("", n)));
    expect(new Set(keys).size).to.equal(keys.length);
  });

  it("keeps our own keys apart from the lock key of any name under any prefix that is allowed", () => {
    fc.assert(
      fc.property(prefix, name, prefix, name, (prefixA, a, prefixB, b) => {
        const { lockKey } = nameKeys(prefixA, a);
        fc.pre(!lockKey.startsWith(RESERVED_PREFIX));
        expect(queueKeyOf(nameKeys(prefixB, b))).to.not.equal(lockKey);
        expect(lockKey).to.not.equal(RECORD_KEY);
      }),
      many,
    );
  });
});

describe("channelInSlot", () => {
  it("is a channel of the same process in the hash slot of the tag", () => {
    const channel = channelInSlot(inboxChannel("abc"), "42");
    expect(channel).to.equal("quorate:inbox:abc:{42}");
    expect(keySlot(channel)).to.equal(keySlot("quorate:fences:{42}"));
  });
});

describe("fenceBucketOf", () => {
  it("is one of 65,536, spread over all of them", () => {
    const buckets = Array.from({ length: 50_000 }, (_, index) =>
      fenceBucketOf(`lock:job-${index}`),
    );
    for (const bucket of buckets) expect(Number(bucket)).to.be.within(0, FENCE_BUCKETS - 1);
    // Of that many balls in so many bins, 53 % of the bins get one.
    expect(new Set(buckets).size).to.be.within(0.51 * FENCE_BUCKETS, 0.56 * FENCE_BUCKETS);
  });

  it("stays what it is: clients of all versions share the table", () => {
    const texts = ["", "a", "lock:a", "lock:größe", "lock:{user}:1"];
    expect(texts.map(fenceBucketOf)).to.deep.equal(["7385", "52512", "55924", "8631", "29607"]);
  });
});

describe("inboxChannel", () => {
  it("is one of our own keys, and another for every process", () => {
    expect(inboxChannel("a"))
      .to.match(/^quorate:/)
      .and.not.equal(inboxChannel("b"));
  });
});

describe("watchChannel", () => {
  it("is one channel for all who observe a name, and none of a process", () => {
    expect(watchChannel("lock:a")).to.equal(watchChannel("lock:a"));
    expect(watchChannel("lock:a")).to.not.equal(watchChannel("lock:b"));
    expect(watchChannel("lock:a")).to.not.equal(inboxChannel("lock:a"));
  });
});

describe("companionKey", () => {
  it("tells kinds and keys apart, and stays in the slot of the key", () => {
    fc.assert(
      fc.property(name, name, (one, other) => {
        const [a, b] = [companionKey("fenced", one), companionKey("fenced", other)];
        expect(a === b).to.equal(one === other);
        expect(companionKey("fence", one)).to.not.equal(a);
        expect(a.startsWith(RESERVED_PREFIX)).to.equal(true);
        if (!one.includes("}")) expect(keySlot(a)).to.equal(keySlot(one));
      }),
      many,
    );
  });
});

describe("hashTag", () => {
  it("is what puts another key into the slot of one of ours", () => {
    fc.assert(
      fc.property(name, (one) => {
        const key = companionKey("fenced", one);
        const tag = hashTag(key);
        // Where it has none, nothing does.
        if (tag !== key) expect(keySlot(`other:{${tag}}`)).to.equal(keySlot(key));
      }),
      many,
    );
  });
});

describe("isOneSlot", () => {
  it("says of every name whether Cluster puts lock and queue key into one slot", () => {
    fc.assert(
      fc.property(prefix, name, (keyPrefix, anyName) => {
        const keys = nameKeys(keyPrefix, anyName);
        expect(isOneSlot(keys)).to.equal(keySlot(keys.lockKey) === keySlot(queueKeyOf(keys)));
      }),
      many,
    );
  });

  it("is true of every name without a closing brace, and of every name with a hash tag", () => {
    fc.assert(
      fc.property(prefix, name, (keyPrefix, anyName) => {
        const keys = nameKeys(keyPrefix, anyName);
        const isTagged = /^[^{]*\{[^}]+\}/su.test(keys.lockKey);
        fc.pre(isTagged || !keys.lockKey.includes("}"));
        expect(isOneSlot(keys), keys.lockKey).to.equal(true);
      }),
      many,
    );
  });

  for (const odd of ["a}b", "{}x", "{}{a}"]) {
    it(`is false of ${odd}, which no queue key can follow`, () => {
      expect(isOneSlot(nameKeys("lock:", odd))).to.equal(false);
    });
  }

  it("holds for names that share a hash tag together", () => {
    const slots = ["{user}:1", "{user}:2"].flatMap((n) => {
      const keys = nameKeys("lock:", n);
      return [keySlot(keys.lockKey), keySlot(queueKeyOf(keys))];
    });
    expect(new Set(slots)).to.deep.equal(new Set([keySlot("user")]));
  });
});

describe("hashSlotOf", () => {
  it("is that of the lock key, with its prefix and by its hash tag", () => {
    for (const [keyPrefix, name, same] of [
      ["", "{user}:1", "user"],
      ["{app}:", "{user}:1", "app"],
      ["lock:", "a", "lock:a"],
    ] as const) {
      expect(hashSlotOf(nameKeys(keyPrefix, name))).to.equal(keySlot(same));
    }
  });
});

describe("names of keys", () => {
  it("are those that the lock keys were made of, and of no other key", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (keyPrefix, name) => {
        const keys = nameKeys(keyPrefix, name);
        const { lockKey } = keys;
        const isOurs = lockKey.startsWith(RESERVED_PREFIX);
        expect(nameOfKey(keyPrefix, lockKey)).to.equal(isOurs ? undefined : name);
        expect(nameOfKey("", queueKeyOf(keys))).to.equal(undefined);
      }),
    );
    expect(nameOfKey("lock:", "other:a")).to.equal(undefined);
    expect(nameOfKey("", RECORD_KEY)).to.equal(undefined);
  });

  it("are asked for by a pattern in which the prefix stands for itself", () => {
    expect(lockKeyPattern("lock:", "job-*")).to.equal("lock:job-*");
    expect(lockKeyPattern("a*[b]?\\", "c?")).to.equal("a\\*\\[b\\]\\?\\\\c?");
  });
});
