import { expect } from "chai";
import * as fc from "fast-check";
import { numbersText } from "../../src/protocol/permits.js";
import { sizeText } from "../../src/protocol/semaphore-size.js";
import type { Vote } from "../../src/protocol/operation.js";
import type { Inbox, Name, OperationSpec, Owner } from "../support/conformance/node-under-test.js";
import { expectSame, lastOf, put, run, wait, type Step } from "../support/conformance/steps.js";
import { conformance } from "../support/conformance/suite.js";

interface Row {
  readonly title: string;
  readonly given?: readonly Step[];
  readonly when: readonly OperationSpec[];
  /**
   * The votes: `+`, what was refused with how many permits are taken and which are free, or the size that is asked for
   * with what is free. Behind `@`, the size that the caller does not know yet.
   */
  readonly gives: string;
  /** What those who listen are told. */
  readonly told?: readonly string[];
}

const size = (name: Name): OperationSpec => ({ kind: "size", name });
const take = (name: Name, more: Partial<OperationSpec> = {}): OperationSpec => {
  return { kind: "acquire", fromNowUs: 0, name, ...more };
};
const leave = (name: Name, more: Partial<OperationSpec> = {}): OperationSpec => {
  return { kind: "release", name, ...more };
};
const extend = (name: Name, more: Partial<OperationSpec> = {}): OperationSpec => {
  return { kind: "extend", name, ...more };
};
const heal = (name: Name, more: Partial<OperationSpec> = {}): OperationSpec => {
  return { kind: "heal", fence: 5, name, ...more };
};
const y = { owner: "y" } as const;
const z = { owner: "z" } as const;
const byP = { inbox: "p", ticket: 1, placePrefix: "s" } as const;
const byQ = { inbox: "q", ticket: 2, placePrefix: "s" } as const;
const threeByP = { inbox: "p", ticket: 1, placePrefix: "s3," } as const;

const ROWS: readonly Row[] = [
  {
    title: "a name that nobody uses is of the size that is asked about",
    when: [size("aPermits")],
    gives: "2[0-1]",
  },
  {
    title: "what is free is told",
    given: [run(take("a1of4"))],
    when: [size("aTwoOf4")],
    gives: "4[0,2-3]",
  },
  {
    title: "nothing is free while the name is held as a whole",
    given: [run(take("a"))],
    when: [size("aPermits")],
    gives: "2[]",
  },
  {
    title: "another size is an error, as long as it was never resized",
    given: [run(take("a0"))],
    when: [size("aTwoOf4"), size("aPermits")],
    gives: "foreign 2[1]",
  },
  {
    title: "it grows: callers that do not know get what there is, and are told",
    given: [run(take("a0"), take("a1", y)), run(size("aSized4"))],
    when: [take("a2of4", z), take("a3of4", z), take("a0of4", z)],
    gives: "+@4 +@4 held:4[]@4",
  },
  {
    title: "the caller that knows is told nothing",
    given: [run(size("aSized4"))],
    when: [take("a3sized4"), take("a0sized4", y), take("a0sized4", z), extend("a3sized4")],
    gives: "+ + held:2[1-2] +",
  },
  {
    title: "it shrinks: holders go on, and nobody gets what there is no more",
    given: [run(take("a2of4"), take("a3of4", y)), run(size("aSized2"))],
    when: [
      ...[extend("a2of4"), extend("a3of4", y), leave("a2of4"), take("a2of4", z)],
      ...[take("a0of4", z), heal("a2of4"), take("a3of4", y), leave("a3of4", y)],
      take("a3of4", y),
    ],
    gives: "+@2 +@2 +@2 held:0[0-1]@2 +@2 +@2 +@2 +@2 held:1[1]@2",
  },
  {
    title: "it keeps its size while nobody holds it",
    given: [run(take("a0sized4")), run(leave("a0sized4")), wait(100_000)],
    when: [take("a3of4"), take("a1"), take("a2of3", y)],
    gives: "+@4 +@4 +@4",
  },
  {
    title: "nobody gets what there is no more where nobody holds the name",
    given: [run(size("aSized2"))],
    when: [take("a3of4"), heal("a3of4"), take("a3of4", y)],
    gives: "held:0[0-1]@2 +@2 held:0[0-1]@2",
  },
  {
    title: "an older size is not stored, and that which is newer told",
    given: [run(take("a0sized2")), run(size("aSized4"))],
    when: [size("aPermits"), take("a1sized4", y), size("aSized4")],
    gives: "2@2[1] +@2 2@2[]",
  },
  {
    title: "of two of one version, the larger is stored, in either order",
    given: [run(size("aSized4")), run(size("aSized5"))],
    when: [size("aPermits"), size("aSized4"), take("a0sized4")],
    gives: "5@5[0-4] 5@5[0-4] +@5",
  },
  {
    title: "a node that does not know it is told by an acquire, a renewal and a heal",
    given: [run(take("a0"), take("a1", y)), run(extend("a0sized4"))],
    when: [take("a3of4", z), size("aTwoOf4")],
    gives: "+@4 4@4[2]",
  },
  {
    title: "a node that has lost it is told by a heal",
    given: [run(heal("a3sized4"))],
    when: [leave("a3sized4"), size("aTwoOf4"), size("aPermits")],
    gives: "+ 4@4[0-3] 4@4[0-3]",
  },
  {
    title: "who waits is told of what it grows by, in the order of the queue",
    given: [
      run(take("a0"), take("a1", y)),
      run(take("a0", { ...z, ...byP }), take("a0", { owner: "kx", ...byQ })),
    ],
    when: [size("aSized4")],
    gives: "4@4[]",
    told: ["p 20/2:lock:a", "q 20/3:lock:a"],
  },
  {
    title: "who waits is told of it by an acquire that brings the size, before that is granted",
    given: [run(take("a0"), take("a1", y)), run(take("a0", { ...z, ...byP }))],
    when: [take("a3sized4", { owner: "kx" })],
    gives: "+",
    told: ["p 20/2:lock:a"],
  },
  {
    title: "who waits for more than there are keeps nobody waiting once it shrinks",
    given: [
      run(take("a0of4"), take("a1of4", y), take("a2of4", y)),
      run(take("aAllOf4", { ...z, ...threeByP }), take("a0of4", { owner: "kx", ...byQ })),
      run(leave("a0of4")),
    ],
    when: [size("aSized2")],
    gives: "2@2[]",
    told: ["q 20/0:lock:a"],
  },
  {
    title: "who leaves tells nobody of what there is no more",
    given: [
      run(take("a0of4"), take("a1of4", y), take("a2of4", y), take("a3of4", z)),
      run(take("a0of4", { owner: "kx", ...byP })),
      run(size("aSized2")),
    ],
    when: [leave("a3of4", z), leave("a2of4", y)],
    gives: "+@2 +@2",
    told: [],
  },
  {
    title: "and tells who waits of what there is, whatever size it knows",
    given: [
      run(take("a0of4"), take("a1of4", y)),
      run(size("aSized2")),
      run(take("a0", { owner: "kx", ...byP })),
    ],
    when: [leave("a1of4", y)],
    gives: "+@2",
    told: ["p 20/1:lock:a"],
  },
  {
    title: "what stands there and is none of ours stays as it is",
    given: [put("a", "data")],
    when: [size("aSized4"), take("a0sized4")],
    gives: "4@4[] foreign",
  },
];

conformance("the size of a semaphore on a real server and in memory", (redis) => {
  for (const { title, given = [], when, gives, told } of ROWS) {
    it(title, async () => {
      const last = lastOf(await expectSame(redis(), [...given, run(...when)]));
      const { votes } = last.answer as { votes: Vote[] };
      expect(votes.map(wordOf).join(" ")).to.equal(gives);
      if (told !== undefined) expect(last.told).to.deep.equal(told);
    });
  }

  for (const text of [
    ...["data", "semaphore:", "semaphore:0@5", "semaphore:01@5", "semaphore:10001@5"],
    ...["semaphore:3@9007199254740992", `semaphore:3@${"9".repeat(400)}`, "semaphore:3@-5"],
  ]) {
    it(`is none where no client could have sent it: ${text.slice(0, 40)}`, async () => {
      const kept: Step = { do: "put", key: "quorate:size:{lock:a}", text };
      for (const [given, when, gives] of [
        [[kept], [size("aPermits"), take("a0"), take("a1", y), size("aPermits")], "2[0-1] + + 2[]"],
        [[kept], [take("a3sized4"), size("aPermits")], "+ 4@4[0-2]"],
        [[kept], [size("aSized4"), size("aPermits")], "4@4[0-3] 4@4[0-3]"],
        [[put("a", text, 1_000)], [size("aSized4"), size("aPermits")], undefined],
      ] as const) {
        const last = lastOf(await expectSame(redis(), [...given, run(...when)]));
        const { votes } = last.answer as { votes: Vote[] };
        if (gives !== undefined) expect(votes.map(wordOf).join(" ")).to.equal(gives);
      }
    });
  }

  it("stays beside the lock key for good, and only where it was resized", async () => {
    const sized = ["lock:a", "quorate:size:{lock:a}"];
    for (const [steps, keys] of [
      [[run(take("a0"))], []],
      [[run(take("a0"), take("a1", y), leave("a0"), extend("a1", y))], []],
      [[run(size("aPermits"))], []],
      [[run(size("aSized4"))], [sized[1]]],
      [[run(take("a0sized4")), wait(5_000)], [sized[1]]],
      [[run(take("a0")), run(size("aSized4"))], sized],
    ] as const) {
      const { state } = lastOf(await expectSame(redis(), [...steps, run()]));
      const found = Object.entries(state as Record<string, { readonly text?: string }>);
      const texts = found.filter(([, { text }]) => text?.startsWith("semaphore:4@") === true);
      expect(texts.map(([key]) => key).toSorted()).to.deep.equal(keys);
    }
  });

  it("any sequence", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 20 }), async (steps) => {
        await expectSame(redis(), steps);
      }),
      { numRuns: 40 },
    );
  });
});

const anyName = fc.constantFrom<Name>(
  ...(["a0", "a1", "a2of4", "a3of4", "a01of4"] as const),
  ...(["a0sized2", "a0sized4", "a1sized4", "a3sized4"] as const),
);
const about = {
  owner: fc.constantFrom<Owner>("x", "y", "z"),
  ttlMs: fc.constantFrom(10, 40, 1_000),
};
const anyOperation: fc.Arbitrary<OperationSpec> = fc.oneof(
  fc.record({
    kind: fc.constantFrom(...(["acquire", "acquire", "release", "extend", "heal"] as const)),
    name: anyName,
    fromNowUs: fc.constantFrom(0, 1),
    ...about,
  }),
  fc.record({
    kind: fc.constantFrom("acquire" as const, "release" as const, "leave" as const),
    name: anyName,
    fromNowUs: fc.constantFrom(0, 1),
    placePrefix: fc.constantFrom("s" as const, "s2," as const),
    inbox: fc.constantFrom<Inbox>("p", "q", "deaf"),
    ticket: fc.integer({ min: 1, max: 3 }),
    ...about,
  }),
  fc.record({
    kind: fc.constant("size" as const),
    name: fc.constantFrom<Name>("aPermits", "aTwoOf4", "aSized4", "aSized5", "aSized2"),
  }),
);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.array(anyOperation, { minLength: 1, maxLength: 4 }).map((of) => run(...of)),
  },
  { weight: 1, arbitrary: fc.constantFrom(1, 11, 21, 41).map((byMs) => wait(byMs)) },
);

function wordOf(vote: Vote): string {
  if (vote.kind === "fault") return vote.kind;
  const { size: found, freePermits } = vote;
  const free = freePermits && `[${numbersText(freePermits)}]`;
  const news = found === undefined || found.version === 0 ? "" : `@${found.count}`;
  if (vote.kind === "refused") {
    const { reason, takenPermits } = vote;
    return reason + (takenPermits === undefined ? "" : `:${takenPermits}${free}`) + news;
  }
  return free === undefined ? `+${news}` : `${sizeText({ ...found!, version: 0 })}${news}${free}`;
}
