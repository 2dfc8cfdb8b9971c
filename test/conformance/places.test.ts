import { expect } from "chai";
import { queueKeyOf } from "../../src/protocol/keys.js";
import { MAX_REFRESH_MS, MIN_REFRESH_MS, PLACE_MS } from "../../src/protocol/node-queue.js";
import type { Vote } from "../../src/protocol/operation.js";
import { NAMES, type Name, type OperationSpec } from "../support/conformance/node-under-test.js";
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
  /** The votes: `+`, what was refused, or for how long each name of a refresh is blocked. */
  readonly gives: string;
}

type More = Partial<OperationSpec>;
const LONG_MS = 60_000;
const acquire = (more: More = {}): OperationSpec => {
  return { kind: "acquire", fromNowUs: 0, ttlMs: LONG_MS, ...more };
};
const release = (more: More = {}): OperationSpec => ({ kind: "release", ...more });
const refresh = (...places: More[]): OperationSpec => ({ kind: "refresh", places });
const read = (more: More = {}): OperationSpec => acquire({ name: "aShared", ...more });
const permit = (name: "a0" | "a1", more: More = {}): OperationSpec => acquire({ name, ...more });

/** Who waits: the writer of q came before the one of p. */
const zByQ = { owner: "z", inbox: "q", ticket: 1 } as const;
const yByP = { owner: "y", inbox: "p", ticket: 2 } as const;
const atQ = { ...refresh({ ticket: 1 }), inbox: "q" } as const;
const atP = refresh({ ticket: 2 });
const lookAtQ = { kind: "inspect", name: "a", fence: 0 } as const;

const ROWS: readonly Row[] = [
  {
    title: "a place counts for so long",
    given: [run(acquire(), acquire(zByQ)), wait(PLACE_MS), run(acquire(yByP))],
    when: [release(), acquire(yByP), acquire(zByQ)],
    gives: "+ held +",
  },
  {
    title: "and no longer, whoever listens to its inbox",
    given: [run(acquire(), acquire(zByQ)), wait(PLACE_MS - 10), run(acquire(yByP)), wait(11)],
    when: [release(), acquire(zByQ), acquire(yByP)],
    gives: "+ held +",
  },
  {
    title: "the queue ends with the last place",
    given: [run(acquire(), acquire(zByQ)), wait(PLACE_MS + 1)],
    when: [release(), acquire(yByP)],
    gives: "+ +",
  },
  {
    title: "a place is kept by refreshes, as late as they may come",
    given: [
      run(acquire(), acquire(zByQ)),
      ...Array.from({ length: 5 }, () => [wait(MAX_REFRESH_MS), run(atQ)]).flat(),
      wait(PLACE_MS - MAX_REFRESH_MS),
      run(acquire(yByP)),
    ],
    when: [release(), acquire(yByP), acquire(zByQ)],
    gives: "+ held +",
  },
  {
    title: "a refresh enters a place that is not there",
    given: [run(acquire(), atQ)],
    when: [release(), acquire({ owner: "y" }), acquire(zByQ)],
    gives: "+ held +",
  },
  {
    title: "by its ticket",
    given: [run(acquire(), acquire(yByP), atQ)],
    when: [release(), acquire(yByP), acquire(zByQ)],
    gives: "+ held +",
  },
  {
    title: "who leaves has no place any more, nor anything beside it",
    given: [run(acquire(), acquire(zByQ), atQ)],
    when: [{ kind: "leave", inbox: "q" }, release(), acquire({ owner: "y" })],
    gives: "+ + +",
  },
  {
    title: "only those that count are told of by a look",
    given: [run(acquire(), acquire(zByQ)), wait(PLACE_MS - 10), run(acquire(yByP)), wait(11)],
    when: [lookAtQ],
    gives: "1 waits",
  },
  {
    title: "a place does not outlive a clock that is set back by much",
    given: [run(acquire(), acquire(zByQ)), wait(-PLACE_MS - 1), run(acquire(yByP))],
    when: [release(), acquire(zByQ), acquire(yByP)],
    gives: "+ held +",
  },
  {
    title: "a writer that is cut off keeps new readers out for so long",
    given: [run(read(), acquire(zByQ)), wait(PLACE_MS)],
    when: [read({ owner: "y" })],
    gives: "held",
  },
  {
    title: "and no longer, however often readers look",
    given: [
      run(read(), acquire(zByQ)),
      ...Array.from({ length: 5 }, () => [
        wait(1_000),
        run(refresh({ ticket: 9, placePrefix: "r", name: "aShared" })),
      ]).flat(),
      wait(1),
    ],
    when: [read({ owner: "y" })],
    gives: "+",
  },
  {
    title: "a hand-over is not told of others that are cut off",
    given: [run(acquire(), acquire(zByQ)), wait(PLACE_MS - 10), run(acquire(yByP)), wait(11)],
    when: [acquire({ ...yByP, previous: "x" })],
    gives: "+",
  },
  {
    title: "but of those that are not",
    given: [run(acquire(), acquire(zByQ)), wait(PLACE_MS), run(acquire(yByP))],
    when: [acquire({ ...yByP, previous: "x" })],
    gives: "+,waited",
  },
  {
    title: "permits: a place that does not count is not given what is free",
    given: [
      run(permit("a0"), permit("a1", { owner: "y" })),
      run(permit("a0", { ...zByQ, placePrefix: "s" })),
      wait(PLACE_MS + 1),
    ],
    when: [
      release({ name: "a0" }),
      permit("a0", { owner: "y", inbox: "p", ticket: 2, placePrefix: "s" }),
    ],
    gives: "+ +",
  },

  {
    title: "permits: one whose turn it is is not given another by the place that it had",
    given: [
      run(permit("a0"), permit("a1", { owner: "y" })),
      run(permit("a0", { ...zByQ, placePrefix: "s" })),
      run(refresh({ name: "aPermits", placePrefix: "s", ticket: 2 })),
    ],
    when: [
      release({ name: "a0" }),
      { ...refresh({ name: "aPermits", placePrefix: "s", ticket: 1 }), inbox: "q" },
      release({ name: "a1", owner: "y" }),
      permit("a1", { inbox: "p", ticket: 2, placePrefix: "s" }),
      permit("a0", { ...zByQ, placePrefix: "s" }),
    ],
    gives: "+ 20 + + +",
  },
  {
    title: "permits: the place comes back once the turn is over",
    given: [
      run(permit("a0"), permit("a1", { owner: "y" })),
      run(permit("a0", { ...zByQ, placePrefix: "s" })),
      run(release({ name: "a0" })),
      wait(21),
      run({ ...refresh({ name: "aPermits", placePrefix: "s", ticket: 1 }), inbox: "q" }),
    ],
    when: [lookAtQ],
    gives: "1 waits",
  },
  {
    title: "one whose turn it is does not stand in the queue as well",
    given: [run(acquire(), acquire(zByQ)), run(release()), run(atQ)],
    when: [lookAtQ],
    gives: "0 waits",
  },

  { title: "says that a name is free", when: [atP], gives: "0" },
  {
    title: "says for how long it is held",
    given: [run(acquire()), wait(7)],
    when: [atP],
    gives: "59993",
  },
  {
    title: "says that it is our turn, and to others when to look again",
    given: [run(acquire(), acquire(zByQ)), run(release()), wait(5)],
    when: [atQ, atP],
    gives: `0 ${15 + MIN_REFRESH_MS}`,
  },
  {
    title: "says of many names in their order",
    given: [run(acquire({ name: "b" }), acquire({ name: "tagged", ttlMs: 40 }))],
    when: [
      refresh(
        { name: "a" },
        { name: "b" },
        { name: "tagged" },
        { name: "a0", placePrefix: "s" },
        { name: "b" },
      ),
    ],
    gives: "0/60000/40/0/60000",
  },
  {
    title: "says to a reader that it can have it beside others",
    given: [run(read())],
    when: [refresh({ name: "aShared", placePrefix: "r" }), atP],
    gives: "0 60000",
  },
  {
    title: "but not in front of a writer",
    given: [run(read(), acquire(zByQ))],
    when: [
      refresh({ name: "aShared", placePrefix: "r", ticket: 2 }),
      refresh({ name: "aShared", placePrefix: "r", ticket: 0 }),
    ],
    gives: "60000 0",
  },
  {
    title: "says to one who wants a permit when the first of all ends",
    given: [run(permit("a0"), permit("a1", { owner: "y", ttlMs: 500 })), wait(100)],
    when: [refresh({ name: "aPermits", placePrefix: "s" })],
    gives: "400",
  },
  {
    title: "and that one is free",
    given: [run(permit("a0"), permit("a1", { owner: "y", ttlMs: 500 })), wait(501)],
    when: [refresh({ name: "aPermits", placePrefix: "s" })],
    gives: "0",
  },
  {
    title: "leaves it to an attempt to find that it waits for a semaphore of another size",
    given: [run(acquire({ name: "a2of3" }))],
    when: [refresh({ name: "aPermits", placePrefix: "s" })],
    gives: "0",
  },
  {
    title: "leaves it to an attempt to say what stands there, where that is no lock of ours",
    given: [put("a", "data"), putHash("b", { field: "1" }, 500)],
    when: [refresh({ name: "a" }, { name: "b" })],
    gives: "0/0",
  },
  {
    title: "a queue that is data of somebody is not in the way of others",
    given: [
      run(acquire(), acquire({ name: "b" })),
      { do: "put", key: "quorate:queue:{lock:a}", text: "data" },
    ],
    when: [
      refresh({ name: "a" }, { name: "b" }),
      release({ name: "b" }),
      acquire({ name: "b", owner: "z" }),
    ],
    gives: "60000/60000 + held",
  },
];

conformance("places in the queues of a real server", (redis) => {
  for (const { title, given = [], when, gives } of ROWS) {
    it(title, async () => {
      const seen = await expectSame(redis(), [...given, run(...when)]);
      const { votes } = lastOf(seen).answer as { votes: Vote[] };
      expect(votes.map(wordOf).join(" ")).to.equal(gives);
    });
  }

  it("enters each place by its own ticket into the queue of its own name, and moves none", async () => {
    const first = 1_700_000_000_000_005;
    const there = { name: "aPermits", placePrefix: "s", ticket: 7 } as const;
    const all = [
      { name: "a", ticket: first },
      { name: "b", ticket: first - 2 },
      { name: "tagged", ticket: first + 1 },
      { ...there, ticket: 9 },
    ] as const;
    const seen = await expectSame(redis(), [run(refresh(there)), run(refresh(...all))]);
    const state = seen.at(-1)?.state as Readonly<Record<string, { readonly text: string }>>;
    const placesOf = (name: Name): string[] => {
      const entries = state[queueKeyOf(NAMES[name])]?.text.split(",") ?? [];
      return entries
        .filter((entry) => !entry.includes("=@"))
        .map((entry) => entry.split("_")[0] ?? "");
    };
    expect(placesOf("a")).to.deep.equal(["7=s20:p", `${first}=20:p`]);
    expect(placesOf("b")).to.deep.equal([`${first - 2}=20:p`]);
    expect(placesOf("tagged")).to.deep.equal([`${first + 1}=20:p`]);
  });

  it("leaves no queue behind where nobody refreshes", async () => {
    const steps = [run(acquire(), acquire(zByQ)), wait(PLACE_MS - 1), wait(2)];
    const [, before, after] = await expectSame(redis(), steps);
    expect(before?.state).to.have.property(queueKeyOf(NAMES.a));
    expect(after?.state).to.not.have.property(queueKeyOf(NAMES.a));
  });
});

function wordOf(vote: Vote): string {
  if (vote.kind !== "granted") return vote.kind === "refused" ? vote.reason : vote.fault;
  if (vote.looks !== undefined) return vote.looks.blockedMs.join("/");
  if (vote.snapshot !== undefined) return `${vote.snapshot.waitingCount} waits`;
  return vote.isHandedOver === true && vote.isWaitedFor === true ? "+,waited" : "+";
}
