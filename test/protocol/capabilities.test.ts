import { expect } from "chai";
import * as fc from "fast-check";
import { MisconfiguredError } from "../../src/index.js";
import {
  isExcused,
  lacksOf,
  OF_CLUSTER,
  parseCapabilities,
  type Capabilities,
  type ConfigProblem,
} from "../../src/protocol/capabilities.js";
import { CAPABLE } from "../support/capable.js";

const FLAGS = [
  "atomicScripts",
  "interleaves",
  "undeclaredKeys",
  "infoInScript",
  "runId",
  "pubSub",
  "evicts",
];
const VALUES = ["eviction", "role", "mode", "lua"];

const NODE = { node: "redis-a.example.com:6379", state: "misconfigured" } as const;

/** As handshake.lua writes them. */
function textOf(capabilities: Capabilities): string {
  return Object.entries(capabilities)
    .flatMap(([name, value]) => {
      if (typeof value === "string") return value === "" ? [] : `${name}=${value}`;
      return value ? name : [];
    })
    .toSorted()
    .join(" ");
}

const anyCapabilities = fc.record(
  Object.fromEntries([
    ...FLAGS.map((name) => [name, fc.boolean()]),
    ...VALUES.map((name) => [name, fc.constantFrom("", "master", "5.1", "all-keys", "a=b")]),
  ]),
) as unknown as fc.Arbitrary<Capabilities>;

describe("parseCapabilities", () => {
  it("reads each word back, in any order, among any that it does not know", () => {
    fc.assert(
      fc.property(anyCapabilities, fc.constantFrom("", "later=1", "runIds", "x"), (all, more) => {
        const words = [more, ...textOf(all).split(" ").toReversed()].join(" ");
        expect(parseCapabilities(words)).to.deep.equal(all);
      }),
    );
  });

  it("finds nothing in a text that no server writes", () => {
    const long = `${textOf(CAPABLE)} ${"x".repeat(1_024)}`;
    for (const text of ["", "RUNID", "runId=1", "role", long]) {
      const { role, ...flags } = parseCapabilities(text);
      expect(Object.values(flags).filter((value) => value === true)).to.deep.equal([]);
      expect(role).to.equal("");
    }
  });
});

describe("lacksOf", () => {
  for (const [kinds, ...changes] of [
    [[], {}],
    [[], { eviction: "allkeys-lru" }],
    [[], { pubSub: false }],
    [[], { mode: "" }],
    [["eviction"], { eviction: "allkeys-lru", evicts: true }],
    [["replica"], { role: "slave" }, { role: "" }],
    [["replica", "eviction"], { role: "slave", evicts: true }],
    [["cluster"], { mode: "cluster" }],
    [["cluster", "replica"], { mode: "cluster", role: "slave" }],
    [["undeclaredKeys"], { undeclaredKeys: false }],
    [["notAtomic"], { atomicScripts: false }],
    [["interleaves"], { interleaves: true }, { interleaves: true, atomicScripts: false }],
    [["runId"], { runId: false }],
    [["runId", "eviction"], { runId: false, evicts: true }],
    [["runId"], { infoInScript: false, runId: false }],
    [
      ["info"],
      { infoInScript: false, role: "" },
      { infoInScript: false, role: "", mode: "", evicts: true },
    ],
  ] as const) {
    for (const change of changes) {
      it(`finds ${kinds.join(" and ") || "nothing"} wrong with ${JSON.stringify(change)}`, () => {
        const found = lacksOf({ ...CAPABLE, ...(change as Partial<Capabilities>) });
        expect(found.map(({ kind }) => kind)).to.deep.equal(kinds);
      });
    }
  }

  it("says what to do", () => {
    const messages = (change: Partial<Capabilities>): string =>
      lacksOf({ ...CAPABLE, ...change })
        .map(({ message }) => message)
        .join();
    expect(messages({ evicts: true, eviction: "volatile-ttl" })).to.include(
      "volatile-ttl may evict locks that are held; use noeviction",
    );
    expect(messages({ role: "slave" })).to.include("its role is slave");
    expect(messages({ role: "" })).to.include("INFO does not say whether it is a master");
    expect(messages({ undeclaredKeys: false })).to.include("allow-undeclared-keys");
    expect(messages({ infoInScript: false, role: "" })).to.include("use another server");
  });

  it("is told as a whole by the error of `ready`, with what to do", () => {
    const none = Object.fromEntries(FLAGS.map((name) => [name, false])) as Partial<Capabilities>;
    const worst = [
      { ...none, evicts: true, eviction: "volatile-random", mode: "cluster", role: "slave" },
      { ...none, interleaves: true, role: "master" },
      { ...none, role: "" },
    ].flatMap((change) => lacksOf({ ...CAPABLE, ...change }));
    expect(new Set(worst.map(({ kind }) => kind))).to.have.length(8);
    for (const { message } of worst) {
      const status = { ...NODE, detail: message, quarantineLeftMs: 0, clockOffsetMs: undefined };
      expect(new MisconfiguredError("", [], [status, status, status]).message).to.include(message);
    }
  });

  it("excuses each of three by its own option, and nothing else", () => {
    const excusable = {
      eviction: "isEvictionAllowed",
      runId: "isRunIdOptional",
      notAtomic: "areScriptsAtomic",
    };
    const none = { isEvictionAllowed: false, isRunIdOptional: false, areScriptsAtomic: false };
    const others = ["replica", "cluster", "permission", "info", "interleaves", "undeclaredKeys"];
    for (const kind of [...Object.keys(excusable), ...others] as ConfigProblem["kind"][]) {
      for (const name of Object.keys(none)) {
        const isFine = (excusable as Partial<Record<string, string>>)[kind] === name;
        const problem = { kind, message: "" };
        expect(isExcused(problem, { ...none, [name]: true }), kind).to.equal(isFine);
        expect(isExcused(problem, none)).to.equal(false);
      }
    }
  });

  it("is not asked of a whole Cluster, of which nothing is known", () => {
    expect(OF_CLUSTER).to.include({ mode: "cluster", role: "", runId: false });
  });
});
