import { expect } from "chai";
import { assert, asyncProperty, array, constantFrom, record } from "fast-check";
import { FENCE_STEP } from "../../src/protocol/fencing.js";
import type { OperationSpec } from "../support/conformance/node-under-test.js";
import { NAMES } from "../support/conformance/node-under-test.js";
import {
  expectSame,
  lastOf,
  put,
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
  /** How many holds the owner is left with on the node; 0 if nothing is left. */
  readonly leaves?: number;
}

type More = Partial<OperationSpec>;
const enter = (more: More = {}): OperationSpec => {
  return { kind: "acquire", fromNowUs: 0, name: "aJob", ...more };
};
const plain = (more: More = {}): OperationSpec => ({ kind: "acquire", fromNowUs: 0, ...more });
const leave = (more: More = {}): OperationSpec => ({ kind: "release", name: "aJob", ...more });
const extend = (more: More = {}): OperationSpec => ({ kind: "extend", name: "aJob", ...more });
const seal = (fromNowUs: number): OperationSpec => ({ kind: "seal", name: "aJob", fromNowUs });
const heal = (more: More = {}): OperationSpec => ({ kind: "heal", name: "aJob", ...more });

const y = { owner: "y" } as const;
const z = { owner: "z" } as const;
const five = { fromNowUs: 5_000 } as const;
const nine = { fromNowUs: 9_000 } as const;
const again = { name: "aJobAgain" } as const;
const task = { name: "aTask", owner: "z" } as const;
const zByQ = { owner: "z", inbox: "q", ticket: 1 } as const;
const hash = { name: "aHashJob" } as const;
const nameless = { name: "aHash" } as const;

/** What can be said of an owner's holds, wherever they are kept. */
const ROWS: readonly Row[] = [
  { title: "its owner, again and again", when: [enter(), enter(y), enter(z)], gives: "+ + +" },
  { title: "its own, a second time", when: [enter(), enter()], gives: "+ +", leaves: 1 },
  { title: "another owner", when: [enter(), enter(task)], gives: "+ held", leaves: 1 },
  { title: "one of many goes", when: [enter(), enter(y), leave()], gives: "+ + +", leaves: 1 },
  {
    title: "a release that comes twice counts once",
    when: [enter(), enter(y), enter(z), leave(), leave(), leave()],
    gives: "+ + + + held held",
    leaves: 2,
  },
  {
    title: "the last lets others in",
    when: [enter(), enter(y), leave(y), enter(task), leave(), enter(task)],
    gives: "+ + + held + +",
  },
  {
    title: "a hold that ran out counts no more, and the name is free with the last",
    given: [run(enter({ ttlMs: 50 }), enter({ ...y, ttlMs: 100 })), wait(51)],
    when: [extend(), enter(task), extend(y), enter(z)],
    gives: "held held + +",
    leaves: 2,
  },
  {
    title: "at the last ms of its ttl a hold still stands",
    given: [run(enter({ ttlMs: 50 })), wait(50)],
    when: [enter(task), extend()],
    gives: "held +",
    leaves: 1,
  },
  {
    title: "and at the next it does not",
    given: [run(enter({ ttlMs: 50 })), wait(51)],
    when: [extend(), enter(task)],
    gives: "free +",
  },
  {
    title: "nobody lives on another's renewal",
    given: [
      run(enter({ ttlMs: 50 }), enter({ ...y, ttlMs: 50 })),
      wait(40),
      run(extend(y)),
      wait(11),
    ],
    when: [extend(), leave(), extend(y)],
    gives: "held held +",
    leaves: 1,
  },
  {
    title: "the key goes with the last of them to end, not with the one that left",
    given: [run(enter({ ttlMs: 900 }), enter({ ...y, ttlMs: 50 })), run(leave()), wait(51)],
    when: [enter(task)],
    gives: "+",
  },
  {
    title: "extend never shortens",
    given: [run(enter({ ttlMs: 50 })), run(extend({ ttlMs: 10 })), wait(50)],
    when: [extend()],
    gives: "+",
    leaves: 1,
  },
  {
    title: "extend of a hold that is not there",
    given: [run(enter())],
    when: [extend(y)],
    gives: "held",
  },
  { title: "release of what is free", when: [leave()], gives: "free", leaves: 0 },
  {
    title: "seal",
    given: [run(enter())],
    when: [{ ...leave(), kind: "seal", fence: Number.MAX_SAFE_INTEGER }],
    gives: "+",
  },
  {
    title: "seal of another's",
    given: [run(enter())],
    when: [{ ...leave(y), kind: "seal", fence: 9 }],
    gives: "held",
  },
  {
    title: "heals beside other holds, and where it is free",
    when: [heal({ fence: 5 }), heal({ ...y, fence: 5 }), heal({ ...task, fence: 5 })],
    gives: "+ + held",
    leaves: 2,
  },
  {
    title: "what was healed renews and goes like any other",
    given: [run(heal({ fence: 5 }))],
    when: [extend(), enter(y), leave(), leave(y)],
    gives: "+ + + +",
    leaves: 0,
  },
];

/** Only beside a string in the lock key. */
const STRING_ROWS: readonly Row[] = [
  { title: "a plain lock keeps an owner out", when: [plain(), enter(y)], gives: "+ held" },
  { title: "an owner keeps plain locks out", when: [enter(), plain(y)], gives: "+ held" },
  {
    title: "readers keep an owner out",
    when: [plain({ name: "aShared" }), enter(y)],
    gives: "+ held",
  },
  {
    title: "an owner keeps readers out",
    when: [enter(), plain({ ...y, name: "aShared" })],
    gives: "+ held",
  },
  {
    title: "again, and it is in",
    when: [enter(), enter({ ...y, ...again })],
    gives: "+ +",
    leaves: 2,
  },
  { title: "again, and nobody is in", when: [enter(again)], gives: "free", leaves: 0 },
  { title: "again, and another is in", when: [enter(task), enter(again)], gives: "+ held" },
  {
    title: "again, before those who wait",
    given: [run(enter(), enter({ ...task, inbox: "q" }))],
    when: [enter({ ...y, ...again }), leave(), leave(y), enter({ ...task, inbox: "q" })],
    gives: "+ + + +",
  },
  {
    title: "takes its turn, and gives the next",
    given: [run(plain(), enter(zByQ)), run({ kind: "release" })],
    when: [enter(), enter(zByQ), plain({ inbox: "p" }), leave(z), plain({ inbox: "p" })],
    gives: "held + held + +",
  },
  {
    title: "holds of another time count for nothing",
    given: [run(enter(), enter(y)), put("a", "x", 1), wait(5)],
    when: [enter(z), extend(), extend(y)],
    gives: "+ held held",
    leaves: 1,
  },
  {
    title: "data of somebody is refused",
    given: [put("a", "data")],
    when: [enter()],
    gives: "foreign",
  },
  {
    title: "a hash is refused",
    given: [putHash("a", { field: "1" }, 500)],
    when: [enter(), extend(), leave(), heal({ fence: 5 })],
    gives: "foreign foreign foreign foreign",
  },
];

/** Only where the lock key is the hash. */
const HASH_ROWS: readonly Row[] = [
  {
    title: "without a name everybody is another",
    when: [enter(nameless), enter({ ...y, ...nameless })],
    gives: "+ held",
  },
  {
    title: "nor is an owner in",
    when: [enter(nameless), enter({ ...y, ...hash })],
    gives: "+ held",
  },
  {
    title: "without a name, through a life",
    when: [enter(nameless), extend(nameless), enter(nameless), leave(nameless), leave(nameless)],
    gives: "+ + + + free",
    leaves: 0,
  },
  {
    title: "a lock of Redisson is held",
    given: [putHash("a", { "u-u-i-d:1": "2" }, 500)],
    when: [enter(nameless), extend(hash)],
    gives: "held held",
  },
  {
    title: "beside what Redisson has entered for the same owner",
    given: [putHash("a", { job: "2" }, 500)],
    when: [enter(hash), leave(hash), leave(hash)],
    gives: "+ + held",
    leaves: 2,
  },
  {
    title: "never shortens what Redisson has entered",
    given: [putHash("a", { job: "1" }, 500), run(enter({ ...hash, ttlMs: 50 })), wait(60)],
    when: [enter({ ...y, ...hash }), extend(hash)],
    gives: "+ held",
    leaves: 2,
  },
  {
    title: "what Redisson renews no longer is free",
    given: [putHash("a", { job: "1" }, 50), wait(51)],
    when: [enter(nameless)],
    gives: "+",
  },
  {
    title: "whoever waits is told, and nothing is kept for it",
    given: [run(enter(nameless), enter({ ...zByQ, ...nameless })), run(leave(nameless))],
    when: [
      enter({ ...y, ...nameless }),
      enter({ ...zByQ, ...nameless }),
      { kind: "leave", inbox: "q" },
    ],
    gives: "+ held +",
  },
  {
    title: "a plain lock is foreign",
    given: [put("a", "somebody", 500)],
    when: [enter(hash), leave(hash), extend(hash), heal({ ...hash, fence: 5 })],
    gives: "foreign foreign foreign foreign",
  },
  {
    title: "a hash of data is foreign",
    given: [putHash("a", { name: "Ann" }, 500)],
    when: [enter(hash)],
    gives: "foreign",
  },
  {
    title: "a hash without expiry is foreign",
    given: [putHash("a", { job: "1", "x:1": "1" })],
    when: [enter(nameless)],
    gives: "foreign",
  },
  {
    title: "is foreign to a plain lock",
    given: [run(enter(hash))],
    when: [plain(y), { kind: "release" }],
    gives: "foreign foreign",
    leaves: 1,
  },
];

conformance("holds of owners on a real server and in memory", (redis) => {
  async function check({ given = [], when, gives, leaves }: Row): Promise<void> {
    const seen = await expectSame(redis(), [...given, run(...when)]);
    const { answer, state } = lastOf(seen);
    const { votes } = answer as { votes: { kind: string; reason?: string }[] };
    const words = votes.map(({ kind, reason }) => (kind === "granted" ? "+" : (reason ?? kind)));
    expect(words.join(" ")).to.equal(gives);
    if (leaves !== undefined) expect(countIn(state)).to.equal(leaves);
  }

  for (const row of [...ROWS, ...STRING_ROWS]) it(row.title, () => check(row));
  for (const row of [...ROWS.map(asRedisson), ...HASH_ROWS]) {
    it(`in the layout of Redisson: ${row.title}`, () => check(row));
  }

  it("tell who holds it", async () => {
    const seen = await expectSame(redis(), [
      run(enter(task), plain()),
      { do: "forget" },
      run(enter({ ...y, ...nameless }), enter(hash)),
      { do: "forget" },
      putHash("a", { "5f0e:71": "1" }, 500),
      run(enter(hash)),
    ]);
    const labels = seen.flatMap(({ answer }) => {
      const { votes } = (answer ?? { votes: [] }) as { votes: { label?: string }[] };
      return votes.at(-1)?.label ?? [];
    });
    expect(labels).to.deep.equal(["täsk", "host 7:é", "5f0e:71"]);
  });

  it("keep the fence of the first, and count on for the next owner", async () => {
    const seen = await expectSame(redis(), [
      run(
        enter({ fromNowUs: 1 }),
        enter({ ...y, fromNowUs: 5 }),
        leave(),
        enter({ ...z, fromNowUs: 9 }),
      ),
      run(leave(y), leave(z), enter({ ...task, fromNowUs: 0 })),
    ]);
    const fences = seen.map(({ answer }) =>
      (answer as { votes: { fence?: number }[] }).votes.map(({ fence = 0 }) => fence),
    );
    const [first = 0, second, , third] = fences[0] ?? [];
    expect([second, third]).to.deep.equal([first, first]);
    expect(fences[1]?.at(-1)).to.equal(first + FENCE_STEP);
  });

  it("seal a token that another hold of theirs has brought, and no other", async () => {
    const seen = await expectSame(redis(), [
      run(enter(), enter(y), seal(9_000), { ...seal(9_000), ...y }, { ...seal(8_000), ...y }),
      run({ ...seal(9_000), ...z }, leave(), leave(y), enter(task), seal(9_000)),
      run({ ...seal(9_000), ...task }),
    ]);
    const words = seen.flatMap(({ answer }) =>
      (answer as { votes: { kind: string }[] }).votes.map(({ kind }) => kind),
    );
    expect(words.map((kind) => (kind === "granted" ? "+" : "-")).join("")).to.equal("++++--+++--");
  });

  /** In µs from now: what is done before y enters, and the fence that y gets. */
  const fenceRows: readonly (readonly [string, readonly OperationSpec[], number])[] = [
    ["that was drawn", [enter({ fromNowUs: 9_000 })], 9_000],
    ["of a token above it", [enter({ fromNowUs: 5_000 }), seal(9_000)], 9_000],
    ["of a token below it, of the hold that drew it", [enter(nine), heal(five)], 5_000],
    ["of a token below it, when that hold is released", [enter(nine), heal(z), leave(five)], 5_000],
    ["no more, once it was given", [enter(nine), enter(z), heal(five)], 9_000],
    ["not of a token of another hold", [enter(nine), heal({ ...z, ...five })], 9_000],
    ["not twice", [enter(nine), heal(five), heal({ fromNowUs: 4_000 })], 5_000],
    [
      "not where another owner had counted beyond it",
      [enter({ ...task, fromNowUs: 5_020 }), leave(task), enter(nine), heal(five)],
      9_000,
    ],
    [
      "where its own had come so far before",
      [enter({ ...z, ...five }), leave({ ...z, ...five }), enter(nine), heal(five)],
      5_000,
    ],
  ];
  for (const [title, when, fromNowUs] of fenceRows) {
    it(`give the fence ${title}`, async () => {
      const seen = await expectSame(redis(), [run(...when, enter({ ...y, fromNowUs: 0 }))]);
      const { votes } = lastOf(seen).answer as { votes: { fence?: number }[] };
      expect(votes.at(-1)?.fence).to.equal(redis().nowUs + fromNowUs);
    });
  }

  it("do the same in any order", async () => {
    const step = record({
      kind: constantFrom("acquire", "acquire", "extend", "release", "heal", "seal", "wait"),
      name: constantFrom("aJob", "aJob", "aTask", "aJobAgain", "aHashJob", "aHash", "a"),
      owner: constantFrom("x", "y", "z"),
      ttlMs: constantFrom(20, 50, 100),
      fromNowUs: constantFrom(0, 3, undefined),
    } as const);
    await assert(
      asyncProperty(array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
        await expectSame(
          redis(),
          steps.map(({ kind, ...spec }) => {
            if (kind === "wait") return wait(spec.ttlMs - 10);
            const fence = kind === "seal" ? { fence: 1, fromNowUs: 0 } : {};
            return run({ kind, ...spec, ...fence });
          }),
        );
      }),
      { numRuns: 60 },
    );
  });
});

/** The same with the hash in the place of the lock key. */
function asRedisson({ given = [], when, ...row }: Row): Row {
  const moved = (spec: OperationSpec): OperationSpec => {
    if (spec.name === "aTask") return { ...spec, name: "aHash" };
    return spec.name === "aJob" ? { ...spec, name: "aHashJob" } : spec;
  };
  const steps = given.map((step) => (step.do === "batch" ? run(...step.of.map(moved)) : step));
  return { ...row, given: steps, when: when.map(moved) };
}

function countIn(state: unknown): number {
  const all = state as Readonly<Record<string, { text: string } | undefined>>;
  const holds = all["quorate:holds:{lock:a}"]?.text ?? all[NAMES.a.lockKey]?.text;
  return holds === undefined ? 0 : Number((JSON.parse(holds) as Record<string, string>)["job"]);
}
