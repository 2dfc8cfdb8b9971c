import { expect } from "chai";
import leven from "leven";
import {
  checkKnown,
  checkObject,
  checkOptions,
  integer,
  number,
  oneOf,
  show,
  showWithoutLogin,
  string,
  whole,
} from "../../src/runtime/validate.js";
import { optionsOf } from "../../src/options/table.js";

const MANAGER_OPTIONS = optionsOf("manager");

/** What is suggested for an option that is not known; undefined for nothing. */
function suggested(name: string, known: readonly string[] = MANAGER_OPTIONS): string | undefined {
  try {
    checkKnown({ [name]: 1 }, known);
  } catch (error) {
    return /did you mean `(.*)`\?$/.exec((error as Error).message)?.[1];
  }
  throw new Error(`${name} is known`);
}

describe("an unknown option", () => {
  for (const [given, meant] of [
    ["ttl", "ttlMs"],
    ["ttlms", "ttlMs"],
    ["TTL", "ttlMs"],
    ["timeout", "nodeTimeoutMs"],
    ["timeoutMs", "nodeTimeoutMs"],
    ["wait", "waitMs"],
    ["retries", "retry"],
    ["lable", "label"],
    ["fari", "fair"],
    ["drift", "driftFactor"],
    ["prefix", "keyPrefix"],
    ["renewal", "renew"],
    ["maxTtl", "maxTtlMs"],
    ["minHold", "minHoldMs"],
    ["quorum", undefined],
    ["x", undefined],
    ["", undefined],
    ["callback", undefined],
  ] as const) {
    it(`\`${given}\` ${meant === undefined ? "suggests nothing" : `suggests \`${meant}\``}`, () => {
      expect(suggested(given)).to.equal(meant);
    });
  }

  it("with one slip suggests the right one", () => {
    const known: readonly string[] = optionsOf("acquire");
    for (const name of known.filter(({ length }) => length > 4)) {
      for (let at = 0; at < name.length; at++) {
        for (const letter of ["x", ""]) {
          const slipped = name.slice(0, at) + letter + name.slice(at + 1);
          if (known.includes(slipped)) continue;
          const meant = suggested(slipped, known) ?? "";
          // `mixHoldMs` is as near to one as to another.
          expect(leven(slipped, meant), `${slipped}: ${meant}`).to.equal(1);
        }
      }
    }
  });

  it("is named with the option it is a part of", () => {
    expect(() => checkKnown([], ["minDelayMs"], "retry.")).to.throw(
      TypeError,
      "`retry` must be an object, got an array",
    );
    expect(() => checkKnown({ delay: 5 }, ["minDelayMs"], "retry.")).to.throw(
      TypeError,
      "unknown option `retry.delay`: did you mean `retry.minDelayMs`?",
    );
  });
});

describe("a value in an error", () => {
  const unable = (): never => {
    throw new Error("unable");
  };
  const endless: unknown[] = [1];
  endless.push(endless, endless);
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  for (const [what, value, shown] of [
    ["a text", "a", '"a"'],
    ["a long text", "a".repeat(1_000), `"${"a".repeat(99)}…"`],
    ["a character at the cut", `${"a".repeat(98)}😀b`, `"${"a".repeat(98)}…"`],
    ["a URL with a password", "redis://me:p@ss/word@a:1", '"redis://***@a:1"'],
    ["a URL whose password is cut", `redis://me:${"p".repeat(99)}@a`, '"redis://***@a"'],
    ["a URL as an object", new URL("redis://me:secret@a:1"), "redis://***@a:1"],
    [
      "URLs in a list of lists",
      ["redis://:s@a", ["redis://:s@b"]],
      '["redis://***@a", [redis://***@b]]',
    ],
    ["a list", ["a", 1, []], '["a", 1, []]'],
    ["a long list", Array.from({ length: 1_000 }, () => 7), `[${"7, ".repeat(32)}7,…`],
    ["a list that contains itself", endless, "[1, [1,,], [1,,]]"],
    ["a symbol", Symbol("a"), "Symbol(a)"],
    ["a function", () => "with its source", "a function"],
    ["one without a prototype", Object.create(null), "an object"],
    ["one that fails to show itself", { toString: unable }, "an object"],
    [
      "a function that fails to show itself",
      Object.assign(() => {}, { toString: unable }),
      "a function",
    ],
    ["one that says nothing any more", proxy, "an object"],
  ] as const)
    it(`is shown, whatever it is: ${what}`, () => {
      expect(show(value)).to.equal(shown);
    });
});

describe("what stands where a node belongs", () => {
  for (const [value, shown] of [
    ["me:secret@a:1", '"***@a:1"'],
    ["me:sec://ret@a:1", '"***@a:1"'],
    ["redis://me:sec://r@et@a:1", '"redis://***@a:1"'],
    [["me:secret@a", 7, "b"], '["***@a", 7, "b"]'],
    ["redis://a:1", '"redis://a:1"'],
    [7, "7"],
  ] as const)
    it(`is shown without a login, with a scheme or without: ${shown}`, () => {
      expect(showWithoutLogin(value)).to.equal(shown);
    });

  it("and where an object belongs", () => {
    expect(() => checkObject("`a`", "me:secret@a")).to.throw(TypeError, 'an object, got "***@a"');
    // An ordinary text is shown as it is.
    expect(() => oneOf("a", "user:me@a", ["b"])).to.throw(RangeError, 'got "user:me@a"');
  });
});

describe("a number without an end", () => {
  for (const [check, message] of [
    [
      () => integer("ttlMs", Infinity, 10),
      "`ttlMs` must be a finite number of at least 10 ms, got Infinity",
    ],
    [() => integer("ttlMs", -Infinity, 10), "`ttlMs` must be at least 10 ms, got -Infinity"],
    [() => whole("permits", Infinity, 1, 9), "`permits` must be from 1 to 9, got Infinity"],
  ] as const)
    it(`is refused as such: ${message}`, () => {
      expect(check).to.throw(RangeError, message);
    });

  it("is taken where there is no end", () => {
    expect(number("waitMs", Infinity, 0)).to.equal(Infinity);
  });
});

describe("checkOptions", () => {
  it("checks what is given by the check of its name", () => {
    const checks = { a: string };
    checkOptions({ a: "x" }, checks);
    checkOptions({ a: undefined }, checks);
    checkOptions({}, checks);
    expect(() => checkOptions({ a: 7 }, checks, "of.")).to.throw(
      TypeError,
      "`of.a` must be a string",
    );
    expect(() => checkOptions({ b: 7 }, checks)).to.throw(TypeError, "unknown option `b`");
    for (const [value, shown] of [
      [[], "an array"],
      [7, "7"],
      [null, "null"],
    ] as const) {
      expect(() => checkOptions(value, checks)).to.throw(
        TypeError,
        `must be an object, got ${shown}`,
      );
    }
  });
});

describe("whole and oneOf", () => {
  it("name the option, the value and what is right", () => {
    expect(whole("n", 3, 1, 3)).to.equal(3);
    expect(() => whole("n", 1.5, 1, 3)).to.throw(
      RangeError,
      "`n` must be an integer from 1 to 3, got 1.5",
    );
    expect(() => whole("n", 4, 1, 3)).to.throw(RangeError, "`n` must be from 1 to 3, got 4");
    expect(oneOf("x", "a", ["a", "b"])).to.equal("a");
    expect(() => oneOf("x", "c", ["a", "b"])).to.throw(
      RangeError,
      '`x` must be one of "a", "b", got "c"',
    );
    expect(() => oneOf("x", 7, ["a"])).to.throw(TypeError, "`x` must be a string, got 7");
  });
});
