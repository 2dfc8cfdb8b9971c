import { expect } from "chai";
import * as fc from "fast-check";
import { RedisError } from "../../src/memory/errors.js";
import { copyOf, Keyspace, type Entry } from "../../src/memory/keyspace.js";
import { SortedSet } from "../../src/memory/sorted-set.js";

const text = (value: string, expiresAtMs = Number.POSITIVE_INFINITY): Entry<"string"> => ({
  type: "string",
  value,
  expiresAtMs,
});

describe("Keyspace", () => {
  it("keeps a key to the end of its last millisecond, and not longer", () => {
    fc.assert(
      fc.property(fc.nat(1_000), fc.nat(1_000), (expiresAtMs, nowMs) => {
        const keys = new Keyspace();
        keys.put("a", text("x", expiresAtMs));
        keys.nowMs = nowMs;
        expect(keys.find("a")?.value).to.equal(nowMs <= expiresAtMs ? "x" : undefined);
        expect(keys.delete("a")).to.equal(nowMs <= expiresAtMs);
      }),
    );
  });

  it("does not bring an expired key back when the clock is set back", () => {
    const keys = new Keyspace();
    keys.put("a", text("x", 10));
    keys.nowMs = 11;
    keys.find("a");
    keys.nowMs = 5;
    expect(keys.find("a")).to.equal(undefined);
  });

  it("gives a value only as its own type, and refuses as a server does", () => {
    const keys = new Keyspace();
    keys.put("a", text("x", 10));
    expect(keys.typed("a", "string")?.value).to.equal("x");
    expect(keys.typed("b", "hash")).to.equal(undefined);
    expect(() => keys.typed("a", "hash")).to.throw(RedisError, /^WRONGTYPE /);
    keys.nowMs = 11;
    expect(keys.typed("a", "hash")).to.equal(undefined);
  });

  it("reports each change before it is made, with the value that was there", () => {
    const keys = new Keyspace();
    const told: (readonly [string, unknown, unknown])[] = [];
    keys.onWrite = (key, before) => told.push([key, before?.value, keys.find(key)?.value]);
    keys.put("a", text("x", 10));
    keys.put("a", text("y", 10));
    keys.touch("a", text("y", 10));
    keys.delete("a");
    expect(told).to.deep.equal([
      ["a", undefined, undefined],
      ["a", "x", "x"],
      ["a", "y", "y"],
      ["a", "y", "y"],
    ]);
  });

  it("reports nothing where nothing is deleted, for an expired key nothing before, and no drop", () => {
    const keys = new Keyspace();
    keys.put("a", text("x", 10));
    keys.put("b", text("x", 10));
    keys.put("c", text("x"));
    const told: unknown[] = [];
    keys.onWrite = (key, before) => told.push([key, before]);
    keys.nowMs = 11;
    expect(keys.delete("a")).to.equal(false);
    expect(keys.delete("missing")).to.equal(false);
    keys.put("b", text("y"));
    keys.drop("c");
    expect(keys.find("c")).to.equal(undefined);
    expect(told).to.deep.equal([["b", undefined]]);
    keys.clear();
    expect([...keys.entries()]).to.deep.equal([]);
  });
});

describe("copyOf", () => {
  it("copies an entry so that changes of the original do not affect it", () => {
    const [map, set] = [new Map([["f", "1"]]), new SortedSet([["m", 1]])];
    const [hash, zset] = [
      copyOf({ type: "hash", value: map, expiresAtMs: 5 }),
      copyOf({ type: "zset", value: set, expiresAtMs: 6 }),
    ];
    map.set("f", "2");
    set.add("m", 2);
    expect(hash).to.deep.equal({ type: "hash", value: new Map([["f", "1"]]), expiresAtMs: 5 });
    expect((zset.value as SortedSet).inOrder()).to.deep.equal([["m", 1]]);
    expect([zset.type, zset.expiresAtMs]).to.deep.equal(["zset", 6]);
    expect(copyOf(text("x", 7))).to.deep.equal(text("x", 7));
  });
});
