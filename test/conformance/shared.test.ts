import { expect } from "chai";
import type { OperationSpec } from "../support/conformance/node-under-test.js";
import { expectSame, lastOf, put, run, wait, type Step } from "../support/conformance/steps.js";
import { conformance } from "../support/conformance/suite.js";

interface Row {
  readonly title: string;
  readonly given?: readonly Step[];
  readonly when: readonly OperationSpec[];
  /** The votes: `+`, or what was refused. */
  readonly gives: string;
}

type More = Partial<OperationSpec>;
const read = (more: More = {}): OperationSpec => {
  return { kind: "acquire", fromNowUs: 0, name: "aShared", ...more };
};
const write = (more: More = {}): OperationSpec => ({ kind: "acquire", fromNowUs: 0, ...more });
const leave = (more: More = {}): OperationSpec => ({ kind: "release", name: "aShared", ...more });
const extend = (more: More = {}): OperationSpec => ({ kind: "extend", name: "aShared", ...more });

const y = { owner: "y" } as const;
const z = { owner: "z" } as const;
const zByQ = { owner: "z", inbox: "q", ticket: 1 } as const;
const yByP = { owner: "y", inbox: "p", ticket: 2, placePrefix: "r" } as const;
const xByP = { owner: "x", inbox: "p", ticket: 0, placePrefix: "r" } as const;
const xByQ = { owner: "x", inbox: "q", ticket: 2, placePrefix: "r" } as const;
const zByDeaf = { owner: "z", inbox: "deaf", ticket: 1 } as const;

const ROWS: readonly Row[] = [
  { title: "many at once", when: [read(), read(y), read(z)], gives: "+ + +" },
  { title: "its own, a second time", when: [read(), read(), leave(), write(y)], gives: "+ + + +" },
  { title: "a writer keeps readers out", when: [write(), read(y)], gives: "+ held" },
  { title: "readers keep a writer out", when: [read(), read(y), write(z)], gives: "+ + held" },
  {
    title: "the last reader lets the writer in",
    when: [read(), read(y), leave(), write(z), leave(y), write(z)],
    gives: "+ + + held + +",
  },
  {
    title: "a reader who ends without a word lives no longer than its own ttl, whoever renews",
    given: [
      run(read({ ttlMs: 50 }), read({ ...y, ttlMs: 40 })),
      wait(30),
      run(extend(y)),
      wait(21),
    ],
    when: [extend(), extend(y), leave(y), write(z)],
    gives: "held + + +",
  },
  {
    title: "a reader whose key has not ended yet goes on when others leave",
    given: [run(read({ ttlMs: 50 }), read({ ...y, ttlMs: 1_000 })), run(leave(y)), wait(50)],
    when: [write(z), extend(), write(z)],
    gives: "held + held",
  },
  {
    title: "all readers end",
    given: [run(read({ ttlMs: 50 }), read({ ...y, ttlMs: 40 })), wait(51)],
    when: [extend(), write(z)],
    gives: "free +",
  },
  {
    title: "extend never shortens",
    given: [run(read({ ttlMs: 50 })), run(extend({ ttlMs: 10 })), wait(50)],
    when: [extend()],
    gives: "+",
  },
  { title: "not of one who is none", given: [run(read())], when: [extend(y)], gives: "held" },
  { title: "not of a plain owner", given: [run(write())], when: [extend()], gives: "held" },
  { title: "release of another's", given: [run(read(y))], when: [leave()], gives: "held" },
  { title: "release of what is free", when: [leave()], gives: "free" },
  {
    title: "a waiting writer stops new readers, and those who are in go on",
    given: [run(read(), write(zByQ))],
    when: [read(y), read(), extend(), leave(), write(zByQ)],
    gives: "held + + + +",
  },
  {
    title: "a writer that nobody hears stops nobody",
    given: [run(read(), write(zByDeaf))],
    when: [read(y)],
    gives: "+",
  },
  {
    title: "a reader in the queue comes after the writer before it",
    given: [run(read(), write(zByQ)), run(read(yByP))],
    when: [leave(), read(yByP), write(zByQ), { kind: "release", owner: "z" }, read(yByP)],
    gives: "+ held + + +",
  },
  {
    title: "a reader that came before the waiting writer comes before it",
    given: [run(read(z), write(zByQ))],
    when: [read(xByP), read(yByP)],
    gives: "+ held",
  },
  {
    title: "a reader in the queue comes in beside readers, and so do those behind it",
    given: [run(write(z), read(yByP), read(xByQ))],
    when: [read(), { kind: "release", owner: "z" }, read(), read(yByP), read(xByQ)],
    gives: "held + held + +",
  },
  {
    title: "readers wait no more for a writer that has left the queue",
    given: [run(read(), write(zByQ)), run(read(yByP))],
    when: [read(z), { kind: "leave", inbox: "q" }, read(z)],
    gives: "held + +",
  },
  {
    title: "one that leaves does so as a reader too",
    given: [run(write(z), read(yByP))],
    when: [{ kind: "leave", inbox: "p" }, { kind: "release", owner: "z" }, write({ owner: "y" })],
    gives: "+ + +",
  },
  {
    title: "a release of a reader puts the next of its process into the queue, a writer",
    given: [run(read(), read(y))],
    when: [leave({ inbox: "p", ticket: 1 }), read(z), leave(y), write({ inbox: "p", ticket: 1 })],
    gives: "+ held + +",
  },
  {
    title: "readers that are left over from another time count for nothing",
    given: [run(read(), read(y)), run({ kind: "release", owner: "z" }), put("a", "", 1), wait(5)],
    when: [read(z), extend(), leave(z), write()],
    gives: "+ held + +",
  },
  {
    title: "at the last ms of its ttl a reader still keeps a writer out",
    given: [run(read({ ttlMs: 50 })), wait(50)],
    when: [write(z)],
    gives: "held",
  },
  {
    title: "and at the next it does not",
    given: [run(read({ ttlMs: 50 })), wait(51)],
    when: [write(z)],
    gives: "+",
  },
  {
    title: "heals whatever the queue",
    given: [run(read(), write(zByQ))],
    when: [{ kind: "heal", name: "aShared", owner: "y", fence: 5 }, extend(y)],
    gives: "+ +",
  },
  {
    title: "does not heal over a writer",
    given: [run(write(z))],
    when: [{ kind: "heal", name: "aShared", fence: 5 }],
    gives: "held",
  },
  {
    title: "data of somebody is refused",
    given: [put("a", "data")],
    when: [read()],
    gives: "foreign",
  },
  {
    title: "seals below, equal, above the fence",
    given: [run(read())],
    when: [
      { kind: "seal", name: "aShared", fence: 1 },
      { kind: "seal", name: "aShared", fence: Number.MAX_SAFE_INTEGER },
      { kind: "seal", name: "aShared", owner: "y", fence: Number.MAX_SAFE_INTEGER },
    ],
    gives: "held + held",
  },
];

conformance("readers on a real server and in memory", (redis) => {
  for (const { title, given = [], when, gives } of ROWS) {
    it(title, async () => {
      const seen = await expectSame(redis(), [...given, run(...when)]);
      const { votes } = lastOf(seen).answer as { votes: { kind: string; reason?: string }[] };
      const words = votes.map(({ kind, reason }) => (kind === "granted" ? "+" : (reason ?? kind)));
      expect(words.join(" ")).to.equal(gives);
    });
  }
});
