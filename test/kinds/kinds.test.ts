import { expect } from "chai";
import { assert, property, string } from "fast-check";
import { exclusiveLock, grantedKeys, keysOf } from "../../src/kinds/exclusive.js";
import { ownedLock } from "../../src/kinds/owned.js";
import { permitLock } from "../../src/kinds/permit.js";
import { redissonLock } from "../../src/kinds/redisson.js";
import { reservedBy } from "../../src/kinds/reserved.js";
import { severalLock } from "../../src/kinds/several.js";
import { sharedLock } from "../../src/kinds/shared.js";
import { timestampLock } from "../../src/kinds/timestamp.js";
import { nameKeys, queueKeyOf, type NameKeys } from "../../src/protocol/keys.js";
import type { LockKind } from "../../src/protocol/lock-kind.js";
import { MAX_PERMITS } from "../../src/protocol/semaphore-size.js";
import { isJoinOnly } from "../../sim/recording-node.js";
import { hasOneShape } from "../support/same-shape.js";

/** Each kind of lock on a name. */
const KINDS: Readonly<Record<string, (keys: NameKeys) => LockKind>> = {
  exclusive: (keys) => exclusiveLock(keys),
  shared: (keys) => sharedLock(keys),
  several: (keys) => severalLock([keys, nameKeys("lock:", "\u{10FFFF}")]),
  owned: (keys) => ownedLock(keys, "job"),
  redisson: (keys) => redissonLock(keys),
  "redisson of an owner": (keys) => redissonLock(keys, "job"),
  timestamp: (keys) => timestampLock(keys, "timestamp"),
  "timestamp in seconds": (keys) => timestampLock(keys, "timestamp-seconds"),
  permit: (keys) => permitLock(keys, 4, 1, [3]),
  "any permit": (keys) => permitLock(keys, 4),
};

const A = nameKeys("lock:", "a");
const B = nameKeys("lock:", "b");

describe("kinds of locks", () => {
  for (const [title, kindOn] of Object.entries(KINDS)) {
    it(`${title}: keeps the keys of the name`, () => {
      assert(
        property(string({ minLength: 1 }), (name) => {
          const plain = nameKeys("lock:", name);
          const { lockKey, fenceBucket } = kindOn(plain);
          expect(lockKey).to.equal(plain.lockKey);
          expect(fenceBucket.split(",")).to.include(plain.fenceBucket);
        }),
      );
    });

    it(`${title}: is of one shape`, () => {
      expect(hasOneShape(() => kindOn(A))).to.equal(true);
      expect(hasOneShape(() => kindOn(A).permits ?? {})).to.equal(true);
    });

    it(`${title}: has a lock key for each of its names`, () => {
      const { names, lockKeys } = kindOn(A);
      expect(lockKeys).to.deep.equal(names.map((name) => `lock:${name}`));
      expect(lockKeys).to.include(A.lockKey);
    });
  }

  // Args: what the script reads behind those of any kind of lock.
  for (const [title, kind, args] of [
    ["exclusive", exclusiveLock(A), []],
    ["shared", sharedLock(A), []],
    ["owned", ownedLock(A, "job"), ["job", "", ""]],
    ["redisson", redissonLock(A), ["", "redisson_lock__channel:{lock:a}", ""]],
    ["timestamp", timestampLock(A, "timestamp"), ["timestamp"]],
    ["permit", permitLock(A, 4, 1, [3]), ["3"]],
    ["any permit", permitLock(A, 4), [""]],
    ["several", severalLock([B, A]), []],
  ] as const) {
    it(`${title}: are sent with what the script needs`, () => {
      expect(kind.scriptArgs).to.deep.equal(args);
    });
  }

  it("say whose they are, of which mode, and in which layout", () => {
    const told = Object.values(KINDS).map((kindOn) => {
      const { mode, owner = "-", layout, permits } = kindOn(A);
      return [mode, owner, layout, permits?.numbers?.[0] ?? "-"].join(" ");
    });
    expect(told).to.deep.equal([
      "exclusive - redlock -",
      "shared - redlock -",
      "exclusive - redlock -",
      "exclusive job redlock -",
      "exclusive - redisson -",
      "exclusive job redisson -",
      "exclusive - timestamp -",
      "exclusive - timestamp-seconds -",
      "exclusive - redlock 3",
      "exclusive - redlock -",
    ]);
  });

  it("allow a minimum hold and another process only where the lock key is all there is", () => {
    const allowing = Object.entries(KINDS).filter(([, kindOn]) => {
      const { minHold, transfer } = kindOn(A).allows;
      expect(minHold).to.equal(transfer);
      return minHold;
    });
    expect(allowing.map(([title]) => title)).to.deep.equal(["exclusive"]);
  });
});

describe("a lock of an owner", () => {
  for (const kind of [ownedLock(A, "job"), redissonLock(A, "job")]) {
    it(`${kind.layout}: is the same where it may only join, but for that`, () => {
      const joining = kind.joinOnly?.();
      expect(joining).to.include({ owner: "job", layout: kind.layout });
      expect([kind, joining].map((each) => each && isJoinOnly(each))).to.deep.equal([false, true]);
      expect(joining?.scriptArgs).to.deep.equal([...kind.scriptArgs.slice(0, 2), "again"]);
    });
  }

  it("is there to be joined only where an owner was said", () => {
    const joinable = Object.entries(KINDS).filter(([, kindOn]) => kindOn(A).joinOnly?.());
    expect(joinable.map(([title]) => title)).to.deep.equal(["owned", "redisson of an owner"]);
  });
});

describe("a lock of several names", () => {
  it("is the same whatever their order, and waits by its parts, in a wait queue of its own", () => {
    const [one, other] = [severalLock([A, B]), severalLock([B, A])];
    for (const { name, names, lockKeys, waitQueueKey, parts } of [one, other]) {
      expect(name).to.equal("a, b");
      expect(names).to.deep.equal(["a", "b"]);
      expect(lockKeys).to.deep.equal(["lock:a", "lock:b"]);
      expect(waitQueueKey).to.equal('quorate:set:["lock:a","lock:b"]');
      expect(parts?.().map((part) => [part.id, part.lockKey, part.waitQueueKey])).to.deep.equal([
        ["exclusive", "lock:a", "lock:a"],
        ["exclusive", "lock:b", "lock:b"],
      ]);
      expect(parts?.().some(({ queue }) => queue.passesOn)).to.equal(false);
    }
  });

  it("is a plain mutex where it is one name, and nothing where it is none", () => {
    expect(severalLock([A])).to.deep.equal(exclusiveLock(A));
    expect(() => severalLock([])).to.throw(RangeError);
  });
});

describe("a permit", () => {
  it("is held by its permit, and waited for in a wait queue of its own", () => {
    const [any, third] = [permitLock(A, 4), permitLock(A, 4, 1, [3])];
    const chosen = any.permits?.at([3]);
    expect(chosen?.scriptArgs).to.deep.equal(third.scriptArgs);
    expect(chosen?.holderKey).to.equal(third.holderKey);
    expect([any.waitQueueKey, third.waitQueueKey]).to.deep.equal([queueKeyOf(A), queueKeyOf(A)]);
    expect(third.holderKey).to.equal(permitLock(A, 9, 1, [3]).holderKey);
    const keys = [third, permitLock(A, 4, 1, [2]), permitLock(B, 4, 1, [3]), keysOf("lock:", "a")];
    expect(new Set(keys.map(({ holderKey }) => holderKey)).size).to.equal(4);
  });
});

describe("what a node has granted by itself", () => {
  it("is found by its lock key, whatever kind of lock it defers", () => {
    const deferred = Object.values(KINDS).flatMap((kindOn) => {
      const keys = kindOn(A);
      return keys.queue.isDeferred ? keys : [];
    });
    expect(deferred.map(({ id }) => id)).to.deep.equal(["exclusive"]);
    for (const keys of deferred) expect(keys).to.include(grantedKeys(keys.lockKey));
  });
});

describe("what a node says it keeps", () => {
  it("is the name as a whole, or a permit of it, of however many", () => {
    for (const placePrefix of ["", "r"] as const) {
      const name = reservedBy({ lockKey: "lock:a", placePrefix, turnMs: 20 });
      expect(name).to.include({ id: "exclusive", lockKey: "lock:a" });
    }
    const anyPermit = reservedBy({ lockKey: "lock:a", placePrefix: "s", turnMs: 20 });
    expect(anyPermit.waitQueueKey).to.equal(permitLock(A, 4).waitQueueKey);
    const permit = reservedBy({ lockKey: "lock:a", placePrefix: "s", turnMs: 20, permits: [3] });
    expect(permit.holderKey).to.equal(permitLock(A, 4, 1, [3]).holderKey);
    expect(permit.permits?.size.current.count).to.equal(MAX_PERMITS);
    const anyThree = reservedBy({ lockKey: "lock:a", placePrefix: "s3,", turnMs: 20 });
    const three = reservedBy({
      lockKey: "lock:a",
      placePrefix: "s",
      turnMs: 20,
      permits: [1, 2, 7],
    });
    expect([anyThree.permits?.wanted, three.permits?.wanted]).to.deep.equal([3, 3]);
    expect(three.scriptArgs.at(-1)).to.equal("1-2,7");
    for (const { queue } of [anyThree, three]) expect(queue).to.include({ placePrefix: "s3," });
  });
});
