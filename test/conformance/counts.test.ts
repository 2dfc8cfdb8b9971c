import { expect } from "chai";
import { PLACE_MS } from "../../src/protocol/node-queue.js";
import type { Vote } from "../../src/protocol/operation.js";
import type { Name, OperationSpec, Owner } from "../support/conformance/node-under-test.js";
import { expectSame, lastOf, putHash, run, wait, type Step } from "../support/conformance/steps.js";
import { conformance } from "../support/conformance/suite.js";

const take = (name: Name, owner: Owner, more: Partial<OperationSpec> = {}): OperationSpec => {
  return { kind: "acquire", fromNowUs: 0, name, owner, ttlMs: 60_000, ...more };
};
const asks = (name: Name): Step => run(take(name, "z", { countsWaiters: true }));
const HELD = run(take("a", "x"));
/** Two processes. */
const WAITED: readonly Step[] = [
  HELD,
  run(take("a", "y", { inbox: "p", ticket: 1 })),
  run(take("a", "z", { inbox: "q", ticket: 2 })),
];

interface Row {
  readonly title: string;
  readonly steps: readonly Step[];
  /** Undefined where it is no refusal, or says nothing. */
  readonly count: number | undefined;
}

const ROWS: readonly Row[] = [
  { title: "nobody where nobody waits", steps: [HELD, asks("a")], count: 0 },
  { title: "each process that waits", steps: [...WAITED, asks("a")], count: 2 },
  { title: "for a reader as well", steps: [...WAITED, asks("aShared")], count: 2 },
  { title: "for a permit as well", steps: [...WAITED, asks("a0")], count: 2 },
  { title: "for an owner as well", steps: [...WAITED, asks("aJob")], count: 2 },
  {
    title: "those who wait for a permit",
    steps: [
      run(take("a0", "x"), take("a1", "kx")),
      run(take("a0", "y", { inbox: "p", placePrefix: "s" })),
      asks("a0"),
    ],
    count: 1,
  },
  {
    title: "behind readers, a writer",
    steps: [run(take("aShared", "x")), run(take("a", "y", { inbox: "p" })), asks("aShared")],
    count: 1,
  },
  {
    title: "of a set those who wait for the name that is held",
    steps: [run(take("b", "x")), run(take("b", "y", { inbox: "p" })), asks("ab")],
    count: 1,
  },
  {
    title: "none whose place does not count any more",
    steps: [
      ...[HELD, run(take("a", "y", { inbox: "p", ticket: 1 })), wait(PLACE_MS - 10)],
      ...[run(take("a", "z", { inbox: "q", ticket: 2 })), wait(11), asks("a")],
    ],
    count: 1,
  },
  { title: "nothing where it is granted", steps: [asks("a")], count: undefined },
  {
    title: "nothing that was not asked for",
    steps: [...WAITED, run(take("a", "z"))],
    count: undefined,
  },
  {
    title: "nothing beside data that is no lock",
    steps: [putHash("a", { field: "1" }), asks("a")],
    count: undefined,
  },
];

conformance("how many wait, as a refusal says, on a real server and in memory", (redis) => {
  for (const { title, steps, count } of ROWS) {
    it(`counts ${title}`, async () => {
      const { answer } = lastOf(await expectSame(redis(), [...steps]));
      const vote = (answer as { readonly votes: readonly Vote[] }).votes.at(-1);
      expect(vote?.kind === "refused" ? vote.waitingCount : undefined).to.equal(count);
    });
  }
});
