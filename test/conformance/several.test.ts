import { RECORD_KEY } from "../../src/protocol/keys.js";
import { FENCE_STEP } from "../../src/protocol/fencing.js";
import { expect } from "chai";
import * as fc from "fast-check";
import { NAMES, type OperationSpec } from "../support/conformance/node-under-test.js";
import {
  expectSame,
  lastOf,
  put,
  putFence,
  putHash,
  run,
  wait,
  type Step,
} from "../support/conformance/steps.js";
import { conformance } from "../support/conformance/suite.js";

interface Row {
  readonly title: string;
  readonly given?: readonly Step[];
  readonly when: readonly OperationSpec[];
  /** The votes: `+`, or what was refused. */
  readonly gives: string;
  /** How the lock keys are left: whose they are, or `-`. */
  readonly leaves?: { readonly a: string; readonly b: string };
}

type More = Partial<OperationSpec>;
const both = (more: More = {}): OperationSpec => {
  return { kind: "acquire", fromNowUs: 0, name: "ab", ...more };
};
const plain = (more: More = {}): OperationSpec => ({ kind: "acquire", fromNowUs: 0, ...more });
const bothEnd = (more: More = {}): OperationSpec => ({ kind: "release", name: "ab", ...more });
const extend = (more: More = {}): OperationSpec => ({ kind: "extend", name: "ab", ...more });

const y = { owner: "y" } as const;
const b = { name: "b" } as const;
const yOfB = { ...y, ...b } as const;
const zByQ = { owner: "z", inbox: "q", ticket: 1 } as const;
const NONE = { a: "-", b: "-" };
const ALL_X = { a: "x", b: "x" };

const ROWS: readonly Row[] = [
  { title: "takes all", when: [both()], gives: "+", leaves: ALL_X },
  { title: "its own, a second time", when: [both(), both()], gives: "+ +", leaves: ALL_X },
  {
    title: "excludes a plain mutex on each name",
    when: [both(), plain(y), plain(yOfB)],
    gives: "+ held held",
    leaves: ALL_X,
  },
  {
    title: "takes nothing while the second name is held",
    when: [plain(yOfB), both()],
    gives: "+ held",
    leaves: { a: "-", b: "y" },
  },
  {
    title: "takes nothing while the first name is held",
    when: [plain(y), both()],
    gives: "+ held",
    leaves: { a: "y", b: "-" },
  },
  {
    title: "lets go of all",
    when: [both(), bothEnd(), plain(y), plain(yOfB)],
    gives: "+ + + +",
    leaves: { a: "y", b: "y" },
  },
  {
    title: "is not another's to let go of",
    when: [both(), bothEnd(y)],
    gives: "+ held",
    leaves: ALL_X,
  },
  {
    title: "lets go of what is left of it",
    given: [run(both(), { kind: "release" })],
    when: [bothEnd()],
    gives: "free",
    leaves: NONE,
  },
  {
    title: "is not extended once a name is gone",
    given: [run(both(), { kind: "release", ...b })],
    when: [extend()],
    gives: "free",
  },
  {
    title: "is healed where it is free, and where a part is left",
    given: [run(both(), { kind: "release", ...b })],
    when: [{ kind: "heal", name: "ab", fence: 5 }, extend()],
    gives: "+ +",
    leaves: ALL_X,
  },
  {
    title: "is not healed over another",
    given: [run(plain(yOfB))],
    when: [{ kind: "heal", name: "ab", fence: 5 }],
    gives: "held",
    leaves: { a: "-", b: "y" },
  },
  {
    title: "extends all, and never shortens",
    given: [run(both({ ttlMs: 50 })), run(extend({ ttlMs: 100 }), extend({ ttlMs: 1 })), wait(100)],
    when: [extend()],
    gives: "+",
    leaves: ALL_X,
  },
  {
    title: "ends as a whole",
    given: [run(both({ ttlMs: 5 })), wait(6)],
    when: [extend()],
    gives: "free",
  },
  {
    title: "data of somebody is refused, wherever it stands",
    given: [put("b", "data")],
    when: [both(), plain(y)],
    gives: "foreign +",
  },
  {
    title: "replaces what its parts have",
    given: [run(plain(y), plain({ ...b, owner: "z" }))],
    when: [both({ parts: ["y", "z"] }), extend()],
    gives: "+ +",
    leaves: ALL_X,
  },
  {
    title: "takes what is free with it",
    given: [run(plain(yOfB))],
    when: [both({ parts: ["y"] })],
    gives: "+",
    leaves: ALL_X,
  },
  {
    title: "leaves its parts as they are while another name is held",
    given: [run(plain(y), plain({ ...b, owner: "z" }))],
    when: [both({ parts: ["y"] }), { kind: "extend", owner: "y" }],
    gives: "held +",
    leaves: { a: "y", b: "z" },
  },
  {
    title: "takes nothing from an owner who is none of its parts",
    given: [run(plain(y), plain({ ...b, owner: "z" }))],
    when: [both({ parts: ["z"] })],
    gives: "held",
    leaves: { a: "y", b: "z" },
  },
  {
    title: "has parts for one acquire only",
    given: [run(plain(yOfB)), run(both({ parts: ["y"] }))],
    when: [bothEnd(), plain(yOfB), both()],
    gives: "+ + held",
    leaves: { a: "-", b: "y" },
  },
  {
    title: "is neither ended nor extended by a part that it has replaced",
    given: [run(plain(yOfB)), run(both({ parts: ["y"] }))],
    when: [
      { kind: "extend", ...yOfB },
      { kind: "heal", ...yOfB, fence: 5 },
      { kind: "release", ...yOfB },
      extend(),
    ],
    gives: "held held held +",
    leaves: ALL_X,
  },
  {
    title: "its end gives the turn at the other names",
    given: [run(both(), plain({ ...zByQ, ...b }))],
    when: [bothEnd(), plain(yOfB), plain({ ...zByQ, ...b })],
    gives: "+ held +",
    leaves: { a: "-", b: "z" },
  },
  {
    title: "seals above the fences of all names only",
    given: [putFence(3_000_000_000_000_000, "b"), run(both())],
    when: [
      { kind: "seal", name: "ab", fence: 3_000_000_000_000_000 },
      { kind: "seal", name: "ab", fence: Number.MAX_SAFE_INTEGER },
      { kind: "seal", fence: Number.MAX_SAFE_INTEGER },
    ],
    gives: "held + held",
  },
];

conformance("several names at once on a real server and in memory", (redis) => {
  for (const { title, given = [], when, gives, leaves } of ROWS) {
    it(title, async () => {
      const last = lastOf(await expectSame(redis(), [...given, run(...when)]));
      const { votes } = last.answer as { votes: { kind: string; reason?: string }[] };
      const words = votes.map(({ kind, reason }) => (kind === "granted" ? "+" : (reason ?? kind)));
      expect(words.join(" ")).to.equal(gives);
      if (leaves !== undefined) expect(holdersIn(last.state)).to.deep.equal(leaves);
    });
  }

  for (const { what, ttlsMs, key } of [
    {
      what: "the first name, though the others end sooner",
      ttlsMs: [60_000, 1_000],
      key: "lock:a",
    },
    { what: "the second, where the first is free", ttlsMs: [0, 60_000, 1_000], key: "lock:b" },
    { what: "the third, where the others are free", ttlsMs: [0, 0, 1_000], key: "lock:{t}x" },
  ]) {
    it(`of names that are held, a refusal is about ${what}`, async () => {
      const holders = (
        [
          ["a", "y"],
          ["b", "z"],
          ["tagged", "kz"],
        ] as const
      ).flatMap(([name, owner], at) => {
        const ttlMs = ttlsMs[at] ?? 0;
        return ttlMs > 0 ? plain({ owner, name, ttlMs }) : [];
      });
      const set = both({ name: "abTagged" });
      const last = lastOf(await expectSame(redis(), [run(...holders), run(set)]));
      const { votes } = last.answer as { votes: { key: string }[] };
      expect(votes[0]).to.have.property("key", key);
    });
  }

  it("the token is above that of its parts", async () => {
    const parts = [plain({ owner: "y", fromNowUs: 9_000_000 }), plain({ ...b, owner: "z" })];
    const steps = [run(...parts), run(both({ parts: ["y", "z"], fromNowUs: undefined, fence: 1 }))];
    const fences = (await expectSame(redis(), steps)).map(({ answer }) =>
      (answer as { votes: { fence: number }[] }).votes.map(({ fence }) => fence),
    );
    const [ofParts = [], [ofSet = 0] = []] = fences;
    expect(ofSet).to.be.above(Math.max(...ofParts));
  });

  it("the token is above what each of the names had, and in all of them", async () => {
    const before = [putFence(3_000_000_000_000_000), putFence(4_000_000_000_000_000, "b")];
    const last = lastOf(await expectSame(redis(), [...before, run(both())]));
    const { votes } = last.answer as { votes: { fence: number }[] };
    expect(votes[0]?.fence).to.equal(4_000_000_000_000_000 + FENCE_STEP);
    const state = last.state as Readonly<Record<string, Record<string, string>>>;
    for (const { fenceBucket } of [NAMES.a, NAMES.b]) {
      expect(state[RECORD_KEY]?.[fenceBucket]).to.equal("4000000000000020");
    }
  });

  for (const [what, found, step] of [
    ["a string", "string without expiry", put("b", "data")],
    ["a hash", "hash", putHash("b", { field: "data" })],
    ["a timestamp", "timestamp", put("b", "1700000000000")],
  ] as const) {
    it(`${what} under the second name is told with its key, and the first is not touched`, async () => {
      const asked = ["acquire", "extend", "heal", "release"] as const;
      const of = asked.map((kind) => both({ kind, fromNowUs: undefined, fence: 5 }));
      const last = lastOf(await expectSame(redis(), [step, run(...of)]));
      const { votes } = last.answer as { votes: object[] };
      const foreign = { kind: "refused", reason: "foreign", remainingMs: 0, label: found };
      const [acquired, extended, healed, released] = votes;
      for (const vote of [acquired, extended, healed]) {
        expect(vote).to.deep.equal({ ...foreign, key: "lock:b" });
      }
      // As of any release: whether the first name is free now.
      expect(released).to.include({ reason: "free" });
      expect(Object.keys(last.state as object)).not.to.include("lock:a");
    });
  }

  it("the same answers and keys whatever is asked; of a set all or nothing", async () => {
    const operation = fc.record({
      kind: fc.constantFrom("acquire" as const, "release" as const, "extend" as const),
      name: fc.constantFrom("ab" as const, "ab" as const, "bTagged" as const),
      owner: fc.constantFrom("x" as const, "y" as const, "z" as const),
      inbox: fc.constantFrom(undefined, "p" as const, "q" as const, "deaf" as const),
      parts: fc.constantFrom(undefined, ["y" as const], ["y" as const, "z" as const]),
      ttlMs: fc.constantFrom(5, 40, 1_000),
      fromNowUs: fc.constantFrom(undefined, 0, -60_000_000, 60_000_000),
    });
    // With owners of one set each: what x holds of {a, b} it holds as a whole.
    const ofOne = operation.map((spec) => ({
      ...spec,
      owner: spec.name === "ab" ? ("x" as const) : spec.owner === "x" ? ("y" as const) : spec.owner,
      inbox: spec.kind === "extend" ? undefined : spec.inbox,
      parts: spec.kind === "acquire" && spec.name === "ab" ? spec.parts : undefined,
    }));
    const step = fc.oneof(
      { weight: 5, arbitrary: ofOne.map((spec) => run(spec)) },
      { weight: 1, arbitrary: fc.constantFrom(1, 6, 50).map(wait) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 15 }), async (steps) => {
        for (const { state } of await expectSame(redis(), steps)) {
          const { a, b: second } = holdersIn(state);
          expect(a === "x", "of {a, b} a").to.equal(second === "x");
        }
      }),
      { numRuns: 60 },
    );
  });
});

/** Whose the lock keys are; `-` for a key that is not there, or is only somebody's turn. */
function holdersIn(state: unknown): { a: string; b: string } {
  const keys = state as Readonly<Record<string, { text?: string }>>;
  const of = (key: string): string => {
    const text = keys[key]?.text ?? "-";
    return text.startsWith("turn:") ? "-" : text.slice(0, 1);
  };
  return { a: of("lock:a"), b: of("lock:b") };
}
