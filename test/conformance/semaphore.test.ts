import { expect } from "chai";
import * as fc from "fast-check";
import type { Operation, RefusedVote, Vote } from "../../src/protocol/operation.js";
import type { Inbox, Name, OperationSpec, Owner } from "../support/conformance/node-under-test.js";
import { MemoryNode } from "../support/conformance/memory-node.js";
import { operationOf } from "../support/conformance/node-under-test.js";
import { permitLock } from "../../src/kinds/permit.js";
import { expectSame, lastOf, put, run, wait, type Step } from "../support/conformance/steps.js";
import { conformance } from "../support/conformance/suite.js";

interface Row {
  readonly title: string;
  readonly given?: readonly Step[];
  readonly when: readonly OperationSpec[];
  /** The votes: `+`, or what was refused, with how many permits are taken where it tells. */
  readonly gives: string;
}

type More = Partial<OperationSpec>;
const take0 = (more: More = {}): OperationSpec => {
  return { kind: "acquire", fromNowUs: 0, name: "a0", ...more };
};
const take1 = (more: More = {}): OperationSpec => take0({ name: "a1", ...more });
const take2of3 = (more: More = {}): OperationSpec => take0({ name: "a2of3", ...more });
const plain = (more: More = {}): OperationSpec => ({ kind: "acquire", fromNowUs: 0, ...more });
const read = (more: More = {}): OperationSpec => plain({ name: "aShared", ...more });
const set = (more: More = {}): OperationSpec => plain({ name: "ab", ...more });
const leave0 = (more: More = {}): OperationSpec => ({ kind: "release", name: "a0", ...more });
const leave1 = (more: More = {}): OperationSpec => leave0({ name: "a1", ...more });
const extend0 = (more: More = {}): OperationSpec => ({ kind: "extend", name: "a0", ...more });
const extend1 = (more: More = {}): OperationSpec => extend0({ name: "a1", ...more });
const heal0 = (more: More = {}): OperationSpec => {
  return { kind: "heal", name: "a0", fence: 5, ...more };
};

const y = { owner: "y" } as const;
const z = { owner: "z" } as const;
const byP = { inbox: "p", ticket: 1, placePrefix: "s" } as const;
const byQ = { inbox: "q", ticket: 2, placePrefix: "s" } as const;
const byDeaf = { inbox: "deaf", ticket: 0, placePrefix: "s" } as const;
const kx = { owner: "kx" } as const;
/** Waits for two permits. */
const twoByP = { inbox: "p", ticket: 2, placePrefix: "s2," } as const;
const twoByDeaf = { inbox: "deaf", ticket: 2, placePrefix: "s2," } as const;
const of4 = (name: Name, more: More = {}): OperationSpec => take0({ name, ...more });
const leave4 = (name: Name, more: More = {}): OperationSpec => leave0({ name, ...more });
/** All four are taken, one by one. */
const allOf4 = run(
  ...[of4("a0of4"), of4("a1of4", { owner: "y" }), of4("a2of4"), of4("a3of4", { owner: "y" })],
);

const ROWS: readonly Row[] = [
  { title: "as many as there are permits", when: [take0(), take1(y)], gives: "+ +" },
  {
    title: "a permit has one owner, however many are free",
    when: [take0(), take0(y)],
    gives: "+ held:1",
  },
  {
    title: "a refusal tells how many are taken",
    when: [take0(), take1(y), take0(z), take1(z)],
    gives: "+ + held:2 held:2",
  },
  {
    title: "its own, a second time",
    when: [take1(), take1(), leave1(), take1(y)],
    gives: "+ + + +",
  },
  {
    title: "one owner in two permits",
    when: [take0(), take1(), leave0(), extend1()],
    gives: "+ + + +",
  },
  { title: "a released permit is free", when: [take0(), leave0(), take0(y)], gives: "+ + +" },
  {
    title: "a permit keeps other locks out",
    given: [run(take0())],
    when: [plain(y), read(y), set(y)],
    gives: "held held held",
  },
  { title: "a plain lock keeps permits out", when: [plain(), take0(y)], gives: "+ held" },
  { title: "a reader keeps permits out", when: [read(), take0(y)], gives: "+ held" },
  { title: "a set keeps permits out", when: [set(), take0(y)], gives: "+ held" },
  {
    title: "another number of permits is an error, and changes nothing",
    given: [run(take0())],
    when: [take2of3(y), take2of3({ ...y, ...byP }), extend0(), take1(y)],
    gives: "foreign foreign + +",
  },
  {
    title: "the last permit lets another number in, and other locks",
    given: [run(take0(), take1(y))],
    when: [leave0(), plain(z), leave1(y), take2of3(), { ...leave0(), name: "a2of3" }, plain(z)],
    gives: "+ held + + + +",
  },
  {
    title: "who ends without a word lives no longer than its own ttl, whoever renews",
    given: [
      run(take0({ ttlMs: 50 }), take1({ ...y, ttlMs: 40 })),
      wait(30),
      run(extend1(y)),
      wait(21),
    ],
    when: [extend0(), extend1(y), plain(z), take0(z)],
    gives: "free + held +",
  },
  {
    title: "at the last ms of its ttl a permit still keeps its permit",
    given: [run(take0({ ttlMs: 50 }), take1({ ...y, ttlMs: 90 })), wait(50)],
    when: [take0(z)],
    gives: "held:2",
  },
  {
    title: "and at the next it does not",
    given: [run(take0({ ttlMs: 50 }), take1({ ...y, ttlMs: 90 })), wait(51)],
    when: [take0(z), extend1(y)],
    gives: "+ +",
  },
  {
    title: "the key of all lives as long as the last of them, whoever leaves",
    given: [run(take0({ ttlMs: 90 }), take1({ ...y, ttlMs: 50 })), run(leave1(y)), wait(60)],
    when: [plain(z), extend0(), leave0(), plain(z)],
    gives: "held + + +",
  },
  {
    title: "all end",
    given: [run(take0({ ttlMs: 50 }), take1({ ...y, ttlMs: 40 })), wait(51)],
    when: [extend0(), plain(z)],
    gives: "free +",
  },
  {
    title: "extend never shortens",
    given: [run(take0({ ttlMs: 50 })), run(extend0({ ttlMs: 10 })), wait(50)],
    when: [extend0()],
    gives: "+",
  },
  { title: "not of another permit", given: [run(take0())], when: [extend1()], gives: "free" },
  { title: "not of another owner", given: [run(take0())], when: [extend0(y)], gives: "held:1" },
  { title: "not of a plain owner", given: [run(plain())], when: [extend0()], gives: "held" },
  { title: "release of another's", given: [run(take0(y))], when: [leave0()], gives: "held" },
  { title: "release of what is free", when: [leave0()], gives: "free" },
  {
    title: "heals where the permit is free",
    given: [run(take1(y))],
    when: [heal0(), extend0(), heal0(z), heal0({ name: "a1", owner: "z" })],
    gives: "+ + held:2 held:2",
  },
  { title: "heals where nothing is", when: [heal0(), extend0()], gives: "+ +" },
  {
    title: "does not heal over another lock",
    given: [run(plain(z))],
    when: [heal0()],
    gives: "held",
  },
  {
    title: "permits that are left over from another time count for nothing",
    given: [run(take0(), take1(y)), put("a", "", 1), wait(5)],
    when: [extend0(), take0(z), extend1(y), take1()],
    gives: "free + free +",
  },
  {
    title: "a released permit is kept for the first who wants one",
    given: [run(take0(), take1(y)), run(take0({ ...z, ...byP }))],
    when: [leave0(), take0(z), take0({ ...z, ...byP }), leave1(y)],
    gives: "+ held:2 + +",
  },
  {
    title: "for one at a time, in the order of their tickets",
    given: [run(take0(), take1(y)), run(take0({ ...z, ...byQ }), take1({ ...z, ...byP }))],
    when: [
      ...[leave1(y), take1({ ...y, ...byQ }), take1({ ...z, ...byP })],
      ...[leave0(), take0({ ...y, ...byQ })],
    ],
    gives: "+ held:2 + + +",
  },
  {
    title: "for as long as a turn is",
    given: [run(take0()), run(take0({ ...z, ...byP })), run(leave0()), wait(21)],
    when: [take0(y)],
    gives: "+",
  },
  {
    title: "not for one that nobody hears",
    given: [run(take0()), run(take0({ ...z, ...byDeaf }))],
    when: [leave0(), take0(y)],
    gives: "+ +",
  },
  {
    title: "the last release gives a turn at the permit, and others may have the other one",
    given: [run(take0()), run(take0({ ...z, ...byP }))],
    when: [leave0(), take0(y), take1(y), plain(y), take0({ ...z, ...byP })],
    gives: "+ held:1 + held +",
  },
  {
    title: "a release puts the next of its process into the queue",
    given: [run(take0(), take1(y))],
    when: [leave0(byP), take0(z), take0({ ...z, ...byP })],
    gives: "+ held:2 +",
  },
  {
    title: "who leaves passes its turn on",
    given: [
      run(take0(), take1(y)),
      run(take0({ ...z, ...byP }), take0({ ...z, ...byQ })),
      run(leave0()),
    ],
    when: [{ kind: "leave", name: "a0", ...byP }, take0({ ...z, ...byP }), take0({ ...z, ...byQ })],
    gives: "+ held:2 +",
  },
  {
    title: "so it does if it does not know how many permits there are",
    given: [
      run(take0(), take1(y)),
      run(take1({ ...z, ...byP }), take1({ ...z, ...byQ })),
      run(leave1(y)),
    ],
    when: [
      { kind: "leave", name: "a1ofMany", ...byP },
      take1({ ...z, ...byP }),
      take1({ ...z, ...byQ }),
    ],
    gives: "+ held:2 +",
  },
  {
    title: "who leaves is not told any more",
    given: [run(take0()), run(take0({ ...z, ...byP }))],
    when: [{ kind: "leave", name: "aPermits", ...byP }, leave0(), take0(y)],
    gives: "+ + +",
  },
  {
    title: "whose turn is left lets a plain lock in",
    given: [run(take0()), run(take0({ ...z, ...byP })), run(leave0())],
    when: [{ kind: "leave", name: "a0", ...byP }, plain(y)],
    gives: "+ +",
  },
  {
    title:
      "a plain release gives its turn to one who wants a permit, and the others are told with it",
    given: [run(plain()), run(take0({ ...z, ...byP }), take1({ ...y, ...byQ }))],
    when: [
      ...[{ kind: "release" } as const, take0(y), take0({ ...z, ...byP })],
      ...[take1(), take1({ ...y, ...byQ })],
    ],
    gives: "+ held + held:2 +",
  },
  {
    title: "who leaves passes a plain lock's turn on",
    given: [run(plain()), run(take0({ ...z, ...byP }), plain({ ...y, inbox: "q", ticket: 5 }))],
    when: [
      ...[{ kind: "release" } as const, { kind: "leave", name: "aPermits", ...byP } as const],
      plain({ ...y, inbox: "q" }),
    ],
    gives: "+ + +",
  },
  {
    title: "a plain lock that waits is told when the last permit is released",
    given: [run(take0(), take1(y)), run(plain({ ...z, inbox: "p", ticket: 1 }))],
    when: [leave0(), plain({ ...z, inbox: "p" }), leave1(y), take0(), plain({ ...z, inbox: "p" })],
    gives: "+ held + held +",
  },
  {
    title: "one who waits for a permit stops readers that come later, as a writer does",
    given: [run(read(z), take0(byP))],
    when: [read(y), { ...read(z), kind: "release" }, read(y), take0(byP)],
    gives: "held + held +",
  },
  {
    title: "heals in its own turn only",
    given: [run(take0(), take1(y)), run(take0({ ...z, ...byP })), run(leave0())],
    when: [heal0(y), heal0({ ...z, ...byP }), extend0(z)],
    gives: "held:2 + +",
  },
  { title: "several at once", when: [of4("a01of4"), of4("a23of4", y)], gives: "+ +" },
  {
    title: "all or nothing",
    when: [of4("a1of4"), of4("a01of4", y), of4("a0of4", z)],
    gives: "+ held:1 +",
  },
  {
    title: "several that are no neighbours",
    when: [of4("a13of4"), of4("a01of4", y), of4("a23of4", y), of4("a0of4", y), of4("a2of4", z)],
    gives: "+ held:2 held:2 + +",
  },
  {
    title: "several are extended, restored and released together",
    given: [run(of4("a01of4", { ttlMs: 50 })), wait(30)],
    when: [
      { kind: "extend", name: "a01of4", ttlMs: 50 },
      { kind: "heal", name: "a23of4", fence: 5, ...y },
      ...[of4("a0of4", z), of4("a3of4", z), leave4("a01of4"), of4("a1of4", z), of4("a0of4", z)],
    ],
    gives: "+ + held:4 held:4 + + +",
  },
  {
    title: "several end together",
    given: [run(of4("a01of4", { ttlMs: 50 }), of4("a2of4", y)), wait(51)],
    when: [{ kind: "extend", name: "a01of4" }, of4("aAllOf4", z), of4("a01of4", z)],
    gives: "free held:1 +",
  },
  {
    title: "who waits for two keeps the one that is free, until there are two",
    given: [allOf4, run(of4("a01of4", { ...z, ...twoByP }))],
    when: [
      ...[leave4("a0of4"), of4("a0of4", kx), leave4("a1of4", y), of4("a0of4", kx)],
      ...[of4("a01of4", { ...z, ...twoByP }), of4("a1of4", kx)],
    ],
    gives: "+ held:3 + held:4 + held:4",
  },
  {
    title: "nobody who came later gets it, and who came earlier does",
    given: [allOf4, run(of4("a01of4", { ...z, ...twoByP })), run(leave4("a0of4"))],
    when: [
      of4("a0of4", { ...kx, inbox: "q", ticket: 3, placePrefix: "s" }),
      of4("a0of4", { ...kx, inbox: "q", ticket: 1, placePrefix: "s" }),
    ],
    gives: "held:3 +",
  },
  {
    title: "who waits for two and leaves lets others have what is free",
    given: [
      ...[allOf4, run(of4("a01of4", { ...z, ...twoByP }))],
      run(of4("a1of4", { ...kx, inbox: "q", ticket: 3, placePrefix: "s" }), leave4("a0of4")),
    ],
    when: [
      { kind: "leave", name: "aTwoOf4", ...twoByP },
      of4("a0of4", z),
      of4("a0of4", { ...kx, inbox: "q", ticket: 3, placePrefix: "s" }),
    ],
    gives: "+ held:4 +",
  },
  {
    title: "two are reserved for who waits for two, and one for who waits behind",
    given: [
      ...[allOf4, run(of4("a01of4", { ...z, ...twoByP }))],
      run(of4("a1of4", { ...kx, inbox: "q", ticket: 3, placePrefix: "s" })),
      run(leave4("a2of4"), leave4("a3of4", y), leave4("a0of4")),
    ],
    when: [
      ...[of4("a2of4"), of4("a23of4", { ...z, ...twoByP }), of4("a0of4")],
      of4("a0of4", { ...kx, inbox: "q", ticket: 3, placePrefix: "s" }),
    ],
    gives: "held:4 + held:4 +",
  },
  {
    title:
      "what is reserved for one who waits for one does not let its process have two before others",
    given: [
      ...[allOf4, run(of4("a0of4", { ...z, ...byP }))],
      run(of4("aAllOf4", { ...kx, inbox: "q", ticket: 2, placePrefix: "s4," })),
      run(leave4("a0of4"), leave4("a1of4", y)),
    ],
    when: [
      of4("a01of4", { ...z, inbox: "p", ticket: 3, placePrefix: "s2," }),
      of4("a0of4", { ...z, ...byP }),
    ],
    gives: "held:3 +",
  },
  {
    title: "who waits for two, but is not heard, keeps nobody out",
    given: [allOf4, run(of4("a01of4", { ...z, ...twoByDeaf })), run(leave4("a0of4"))],
    when: [of4("a0of4", kx)],
    gives: "+",
  },
  {
    title: "who waits for two heals what it has, whoever waits",
    given: [allOf4, run(of4("a01of4", { ...z, ...twoByP })), run(leave4("a0of4"))],
    when: [{ kind: "heal", name: "a0of4", fence: 5, owner: "kx" }],
    gives: "+",
  },
  {
    title: "data of somebody is refused",
    given: [put("a", "data")],
    when: [take0()],
    gives: "foreign",
  },
  {
    title: "seals below, equal, above the fence",
    given: [run(take0())],
    when: [
      { kind: "seal", name: "a0", fence: 1 },
      { kind: "seal", name: "a0", fence: Number.MAX_SAFE_INTEGER },
      { kind: "seal", name: "a1", fence: Number.MAX_SAFE_INTEGER },
      { kind: "seal", name: "a0", owner: "y", fence: Number.MAX_SAFE_INTEGER },
    ],
    gives: "held + free held:1",
  },
];

conformance("permits on a real server and in memory", (redis) => {
  for (const { title, given = [], when, gives } of ROWS) {
    it(title, async () => {
      const seen = await expectSame(redis(), [...given, run(...when)]);
      const { votes } = lastOf(seen).answer as { votes: Vote[] };
      expect(votes.map(wordOf).join(" ")).to.equal(gives);
    });
  }

  for (const permit of [
    "10000",
    "-1",
    "1.5",
    "NaN",
    "1e0",
    "1e9",
    "01",
    " 1",
    "0x1",
    "9999999999999999",
  ]) {
    it(`there is no permit ${permit} of any semaphore`, async () => {
      await redis().forget();
      const node = redis();
      const spec: OperationSpec = { kind: "acquire", fromNowUs: 0, name: "a0" };
      const asked = operationOf(spec, node.nowUs);
      const keys = { ...permitLock(asked.keys, 2, 1, [0]), scriptArgs: [permit] };
      const before = await node.state();
      const nodes = [node, new MemoryNode(node.nowUs)];
      for (const kind of ["acquire", "heal", "extend", "release", "seal"] as const) {
        for (const each of nodes) {
          const reply = await each.batch([{ ...asked, kind, keys } as Operation], "");
          const [vote] = reply.kind === "votes" ? reply.votes : [];
          expect(vote, kind).to.include({ kind: "fault", fault: "server" });
        }
      }
      expect(await node.state()).to.deep.equal(before);
    });
  }

  it("any sequence", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 20 }), async (steps) => {
        await expectSame(redis(), steps);
      }),
      { numRuns: 60 },
    );
  });
});

const anyWaiter = {
  inbox: fc.constantFrom<Inbox>("p", "q", "deaf"),
  ticket: fc.integer({ min: 1, max: 3 }),
};
const anyPermit = fc.constantFrom<Name>(
  ...(["a0", "a0", "a1", "a1", "a2of3"] as const),
  ...(["a0of4", "a1of4", "a2of4", "a01of4", "a13of4", "a23of4", "aAllOf4"] as const),
);
const anyPrefix = fc.constantFrom("s" as const, "s" as const, "s2," as const, "s4," as const);
const about = {
  owner: fc.constantFrom<Owner>("x", "y", "z"),
  ttlMs: fc.constantFrom(10, 40, 1_000),
};
const anyOperation: fc.Arbitrary<OperationSpec> = fc.oneof(
  fc.record({
    kind: fc.constantFrom("acquire" as const, "acquire" as const, "release" as const),
    name: anyPermit,
    fromNowUs: fc.constantFrom(0, 1),
    ...about,
  }),
  fc.record({
    kind: fc.constantFrom("acquire" as const, "release" as const, "heal" as const),
    name: anyPermit,
    fromNowUs: fc.constantFrom(0, 1),
    placePrefix: anyPrefix,
    ...about,
    ...anyWaiter,
  }),
  fc.record({
    kind: fc.constantFrom("extend" as const, "heal" as const),
    name: anyPermit,
    ...about,
  }),
  fc.record({
    kind: fc.constant("leave" as const),
    name: fc.constantFrom<Name>("a0", "a1", "a2of3", "aPermits", "a01of4", "aTwoOf4"),
    placePrefix: anyPrefix,
    ...anyWaiter,
  }),
  fc.record({
    kind: fc.constantFrom("acquire" as const, "release" as const),
    name: fc.constantFrom<Name>("a", "aShared", "ab"),
    fromNowUs: fc.constantFrom(0, 1),
    ...about,
  }),
  fc.record({
    kind: fc.constantFrom("acquire" as const, "release" as const, "leave" as const),
    name: fc.constant<Name>("a"),
    fromNowUs: fc.constantFrom(0, 1),
    ...about,
    ...anyWaiter,
  }),
);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.array(anyOperation, { minLength: 1, maxLength: 4 }).map((of) => run(...of)),
  },
  { weight: 2, arbitrary: fc.constantFrom(1, 9, 11, 20, 21, 41).map((byMs) => wait(byMs)) },
);

function wordOf(vote: Vote): string {
  if (vote.kind !== "refused") return vote.kind === "granted" ? "+" : vote.kind;
  const { reason, takenPermits }: RefusedVote = vote;
  return takenPermits === undefined ? reason : `${reason}:${takenPermits}`;
}
