import { expect } from "chai";
import * as fc from "fast-check";
import {
  checkedKeysOf,
  checkedLockOfAll,
  checkForKind,
  checkName,
  kindFor,
  MAX_NAMES,
  type LayoutChoice,
} from "../../src/options/name-keys.js";
import { exclusiveLock } from "../../src/kinds/exclusive.js";
import { permitLock } from "../../src/kinds/permit.js";
import { severalLock } from "../../src/kinds/several.js";
import { sharedLock } from "../../src/kinds/shared.js";
import { nameKeys } from "../../src/protocol/keys.js";

const PLAIN: LayoutChoice = { layout: "redlock", mode: "exclusive", owner: undefined };

describe("checkName", () => {
  for (const [name, message] of [
    ["", /1 to 1024 bytes, got 0/],
    ["x".repeat(1_025), /got 1025/],
    ["ä".repeat(513), /got 1026/],
  ] as const) {
    it(`refuses a name of ${name.length} characters`, () => {
      expect(() => checkName(name)).to.throw(RangeError, message);
    });
  }

  for (const name of [undefined, null, 5, {}, ["a"]]) {
    it(`refuses ${JSON.stringify(name)}, which is no string`, () => {
      expect(() => checkName(name)).to.throw(TypeError, /`name` must be a string/);
    });
  }

  for (const name of ["a", "x".repeat(1_024), "ä".repeat(512), "{user}:1", " ", "\n", "锁", "🔒"]) {
    it(`allows ${JSON.stringify(name.slice(0, 8))}`, () => {
      expect(() => checkName(name)).to.not.throw();
    });
  }

  it("refuses half a surrogate pair: on the wire all of them are one and the same character", () => {
    const wire = (text: string): string => Buffer.from(text).toString();
    expect(wire("a\ud83d")).to.equal(wire("a\ud83e"));
    for (const name of ["a\ud83d", "\udd12a", "\ud83e"]) {
      expect(() => checkName(name)).to.throw(RangeError, /`name`/);
    }
  });
});

describe("checkedKeysOf", () => {
  it("puts the prefix before the name, whatever they are", () => {
    const text = fc.string({ minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(text, text, (keyPrefix, name) => {
        fc.pre(!(keyPrefix + name).startsWith("quorate:"));
        const keys = checkedKeysOf(keyPrefix, name, false);
        expect(keys).to.include({ name, lockKey: keyPrefix + name });
      }),
    );
  });

  for (const [keyPrefix, name] of [
    ["quorate:", "x"],
    ["", "quorate:incarnation"],
    ["quorate", ":x"],
  ] as const) {
    it(`refuses the library's own keys: "${keyPrefix}" and "${name}"`, () => {
      expect(() => checkedKeysOf(keyPrefix, name, false, "names[3]")).to.throw(
        RangeError,
        `\`names[3]\` makes a key in the reserved "quorate:": "${name}"`,
      );
    });
  }

  it("refuses braces that form no hash tag, but only for a Cluster", () => {
    for (const name of ["a{", "{}b"]) {
      expect(checkedKeysOf("lock:", name, false).lockKey).to.equal(`lock:${name}`);
    }
    expect(() => checkedKeysOf("lock:", "a}b", true)).to.throw(
      RangeError,
      '`name` has braces that form no hash tag, for a Cluster: "a}b"',
    );
    expect(checkedKeysOf("lock:", "{a}b", true).lockKey).to.equal("lock:{a}b");
  });
});

describe("checkedLockOfAll", () => {
  const all = (names: readonly unknown[], hasCluster = false) =>
    checkedLockOfAll("lock:", names, hasCluster, exclusiveLock);

  it("counts a name once, and makes the same lock of any order of the names", () => {
    const name = fc.constantFrom("a", "b", "c", "d", "é");
    fc.assert(
      fc.property(fc.array(name, { minLength: 1 }), (names) => {
        const keys = all(names);
        expect(keys.names).to.deep.equal([...new Set(names)].toSorted());
        const { parts, ...same } = keys;
        const { parts: otherParts, ...other } = all(names.toReversed());
        expect(other).to.deep.equal(same);
        expect(otherParts?.()).to.deep.equal(parts?.());
        if (keys.names.length === 1)
          expect(keys).to.deep.equal(exclusiveLock(nameKeys("lock:", names[0] as string)));
      }),
    );
  });

  it("takes so many different names, and no more", () => {
    const names = Array.from({ length: MAX_NAMES }, (_, index) => `n${index}`);
    expect(all([...names, ...names]).names).to.have.length(MAX_NAMES);
    const complaint = `\`names\` must be 1 to ${MAX_NAMES} different names, got`;
    expect(() => all([...names, "more"])).to.throw(RangeError, `${complaint} 101`);
    expect(() => all([])).to.throw(RangeError, `${complaint} 0`);
  });

  it("names the element that is wrong, holes too", () => {
    expect(() => all(["a", 7])).to.throw(TypeError, "`names[1]`");
    expect(() => all(["a", ""])).to.throw(RangeError, "`names[1]`");
    // oxlint-disable-next-line no-sparse-arrays
    expect(() => all(["a", , "b"])).to.throw(TypeError, "`names[1]`");
  });

  it("wants one hash slot for a Cluster, and names two that have different ones", () => {
    expect(all(["{t}a", "{t}b"], true).names).to.have.length(2);
    expect(all(["a", "b"]).names).to.have.length(2);
    expect(() => all(["{t}a", "{t}b", "c"], true)).to.throw(
      RangeError,
      '`names` must share a hash slot for a Cluster, as by a common {tag}: "{t}a" and "c" do not',
    );
  });
});

describe("kindFor", () => {
  const [one, several] = [["a"], ["a", "b"]];
  const lock = (names: readonly string[], choice: Partial<LayoutChoice>) =>
    checkedLockOfAll("lock:", names, false, kindFor({ ...PLAIN, ...choice }));

  it("is plain by default", () => {
    expect(kindFor(PLAIN)).to.equal(exclusiveLock);
    expect(lock(several, {})).to.include({ mode: "exclusive", layout: "redlock" });
  });

  for (const [choice, made] of [
    [{ mode: "shared" }, { mode: "shared", layout: "redlock", owner: undefined }],
    [{ owner: "job" }, { mode: "exclusive", layout: "redlock", owner: "job" }],
    [{ layout: "redisson" }, { mode: "exclusive", layout: "redisson", owner: undefined }],
    [
      { layout: "redisson", owner: "job" },
      { layout: "redisson", owner: "job" },
    ],
    [{ layout: "timestamp" }, { layout: "timestamp", owner: undefined }],
    [{ layout: "timestamp-seconds" }, { layout: "timestamp-seconds", owner: undefined }],
  ] as const satisfies readonly (readonly [Partial<LayoutChoice>, object])[]) {
    it(`makes a lock with ${JSON.stringify(choice)}`, () => {
      expect(lock(one, choice)).to.include({ name: "a", ...made });
    });
  }

  for (const [names, choice, option] of [
    [several, { mode: "shared" }, "mode"],
    [several, { owner: "job" }, "owner"],
    [several, { layout: "redisson" }, "layout"],
    [one, { mode: "shared", owner: "job" }, "mode"],
    [one, { mode: "shared", layout: "redisson" }, "mode"],
    [one, { mode: "shared", layout: "timestamp" }, "mode"],
    [one, { layout: "timestamp", owner: "job" }, "owner"],
  ] as const satisfies readonly (readonly [readonly string[], Partial<LayoutChoice>, string])[]) {
    it(`refuses ${JSON.stringify(choice)} for ${names.length} name(s), naming \`${option}\``, () => {
      expect(() => lock(names, choice)).to.throw(RangeError, new RegExp(`^\`${option}\``));
    });
  }
});

describe("checkForKind", () => {
  const one = nameKeys("lock:", "a");

  it("lets only an exclusive lock of one name have a minimum hold, or a value", () => {
    expect(() => checkForKind(exclusiveLock(one), { minHoldMs: 500, value: "" })).to.not.throw();
    for (const keys of [
      sharedLock(one),
      severalLock([one, nameKeys("lock:", "b")]),
      permitLock(one, 3),
    ]) {
      expect(() => checkForKind(keys, { minHoldMs: 500 }), keys.words).to.throw(
        RangeError,
        `\`minHoldMs\` must be 0 for ${keys.words}, got 500`,
      );
      expect(() => checkForKind(keys, { value: "" }), keys.words).to.throw(
        RangeError,
        `\`value\` must be left out for ${keys.words}`,
      );
      expect(() => checkForKind(keys, { minHoldMs: 0 })).to.not.throw();
      expect(() => checkForKind(keys, {})).to.not.throw();
    }
  });
});
