import { expect } from "chai";
import keySlot from "cluster-key-slot";
import { assert, pre, property, string } from "fast-check";
import { Exclusive, keysOf } from "../../src/kinds/exclusive.js";
import { Owned } from "../../src/kinds/owned.js";
import { Permit } from "../../src/kinds/permit.js";
import { Redisson } from "../../src/kinds/redisson.js";
import { reservedBy } from "../../src/kinds/reserved.js";
import { lockOfAll } from "../../src/kinds/several.js";
import { Shared } from "../../src/kinds/shared.js";
import { Timestamp } from "../../src/kinds/timestamp.js";
import { isOneSlot, nameKeys, type NameKeys } from "../../src/protocol/keys.js";
import type { LockKind } from "../../src/protocol/lock-kind.js";
import { MAX_PERMITS } from "../../src/protocol/slots.js";

/** Each kind of lock on a name. */
const KINDS: Readonly<Record<string, (keys: NameKeys) => LockKind>> = {
  exclusive: (keys) => new Exclusive(keys),
  shared: (keys) => new Shared(keys),
  several: (keys) => lockOfAll([keys, nameKeys("lock:", "\u{10FFFF}")]),
  owned: (keys) => new Owned(keys, "job"),
  redisson: (keys) => new Redisson(keys),
  "redisson of an owner": (keys) => new Redisson(keys, "job"),
  timestamp: (keys) => new Timestamp(keys, "timestamp"),
  "timestamp in seconds": (keys) => new Timestamp(keys, "timestamp-seconds"),
  permit: (keys) => new Permit(keys, 4, 3),
  "any permit": (keys) => new Permit(keys, 4),
};

const A = nameKeys("lock:", "a");
const B = nameKeys("lock:", "b");

describe("kinds of locks", () => {
  for (const [title, kindOn] of Object.entries(KINDS)) {
    it(`${title}: keeps the keys of the name, and has its own beside them in the same slot`, () => {
      assert(
        property(string({ minLength: 1 }), (name) => {
          const plain = nameKeys("lock:", name);
          pre(isOneSlot(plain));
          const { lockKey, fenceKey, queueKey, scriptKeys, id } = kindOn(plain);
          expect({ lockKey, fenceKey, queueKey }).to.deep.include({
            lockKey: plain.lockKey,
            fenceKey: plain.fenceKey,
            queueKey: plain.queueKey,
          });
          for (const key of id === "several" ? [] : scriptKeys) {
            expect(keySlot(key)).to.equal(keySlot(lockKey));
            expect([lockKey, fenceKey, queueKey]).not.to.include(key);
          }
        }),
      );
    });

    it(`${title}: includes its own names and no other`, () => {
      const kind = kindOn(A);
      for (const lockKey of kind.lockKeys) expect(kind.includes(lockKey)).to.equal(true);
      expect(kind.lockKeys).to.include(A.lockKey).and.have.length(kind.names.length);
      expect(kind.includes("lock:c")).to.equal(false);
    });

    it(`${title}: covers itself, and those that are less than an exclusive lock if it is one`, () => {
      const kind = kindOn(A);
      const isMutex = kind.id === "exclusive" || kind.id === "several";
      for (const [other, otherOn] of Object.entries(KINDS)) {
        const isLess = ["exclusive", "several", "shared"].includes(other);
        const isAlike = other.replace("any ", "") === title.replace("any ", "");
        expect(kind.covers(otherOn(A)), other).to.equal(isMutex ? isLess : isAlike);
      }
      expect(new Owned(A, "job").covers(new Owned(A, "task"))).to.equal(false);
    });
  }

  // Args: what the script reads behind those of any kind of lock.
  for (const [title, kind, keys, args] of [
    ["exclusive", new Exclusive(A), [], []],
    ["shared", new Shared(A), ["quorate:readers:{lock:a}"], []],
    ["owned", new Owned(A, "job"), ["quorate:holds:{lock:a}"], ["job", "", ""]],
    ["redisson", new Redisson(A), [], ["", "redisson_lock__channel:{lock:a}", ""]],
    ["timestamp", new Timestamp(A, "timestamp"), ["quorate:stamp:{lock:a}"], ["timestamp"]],
    ["permit", new Permit(A, 4, 3), ["quorate:slots:{lock:a}"], ["4", "3"]],
    ["any permit", new Permit(A, 4), ["quorate:slots:{lock:a}"], ["4", ""]],
    ["several", lockOfAll([B, A]), [B.lockKey, B.fenceKey, B.queueKey], []],
  ] as const) {
    it(`${title}: are sent with what the script needs`, () => {
      expect(kind.scriptKeys).to.deep.equal(keys);
      expect(kind.scriptArgs).to.deep.equal(args);
    });
  }

  it("say whose they are, of which mode, and in which layout", () => {
    const told = Object.values(KINDS).map((kindOn) => {
      const { mode, owner = "-", layout, slots } = kindOn(A);
      return [mode, owner, layout, slots?.slot ?? "-"].join(" ");
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
  for (const kind of [new Owned(A, "job"), new Redisson(A, "job")]) {
    it(`${kind.layout}: is the same where it may only join, but for that`, () => {
      const joining = kind.joinOnly();
      expect(joining).to.include({ owner: "job", layout: kind.layout, isJoinOnly: true });
      expect(kind.isJoinOnly).to.equal(false);
      expect(joining?.scriptKeys).to.deep.equal(kind.scriptKeys);
      expect(joining?.scriptArgs).to.deep.equal([...kind.scriptArgs.slice(0, 2), "again"]);
    });
  }

  it("is there to be joined only where an owner was said", () => {
    const joinable = Object.entries(KINDS).filter(([, kindOn]) => kindOn(A).joinOnly());
    expect(joinable.map(([title]) => title)).to.deep.equal(["owned", "redisson of an owner"]);
  });
});

describe("a lock of several names", () => {
  it("is the same whatever their order, and waits in the line of the first", () => {
    const [one, other] = [lockOfAll([A, B]), lockOfAll([B, A])];
    for (const { name, names, lockKeys, lineKey } of [one, other]) {
      expect(name).to.equal("a, b");
      expect(names).to.deep.equal(["a", "b"]);
      expect(lockKeys).to.deep.equal(["lock:a", "lock:b"]);
      expect(lineKey).to.equal("lock:a");
    }
  });

  it("is a plain mutex where it is one name, and nothing where it is none", () => {
    expect(lockOfAll([A]))
      .to.be.instanceOf(Exclusive)
      .and.deep.include(A);
    expect(() => lockOfAll([])).to.throw(RangeError);
  });
});

describe("a permit", () => {
  it("is held by its slot, and waited for in a line of its own", () => {
    const [any, third] = [new Permit(A, 4), new Permit(A, 4, 3)];
    expect(any.slots.at(3)).to.deep.equal(third);
    expect([any.lineKey, third.lineKey]).to.deep.equal([A.queueKey, A.queueKey]);
    expect(third.holderKey).to.equal(new Permit(A, 9, 3).holderKey);
    const keys = [third, new Permit(A, 4, 2), new Permit(B, 4, 3), keysOf("lock:", "a")];
    expect(new Set(keys.map(({ holderKey }) => holderKey)).size).to.equal(4);
  });
});

describe("what a node says it keeps", () => {
  it("is the name as a whole, or a slot of it, of however many", () => {
    const name = reservedBy({ lockKey: "lock:a", turnMs: 20 });
    expect(name).to.include({ id: "exclusive", lockKey: "lock:a", queueKey: A.queueKey });
    const slot = reservedBy({ lockKey: "lock:a", turnMs: 20, slot: 3 });
    expect(slot.holderKey).to.equal(new Permit(A, 4, 3).holderKey);
    expect(slot.slots?.count).to.equal(MAX_PERMITS);
  });
});
