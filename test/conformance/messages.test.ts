import { expect } from "chai";
import { PLACE_MS } from "../../src/protocol/node-queue.js";
import type { Vote } from "../../src/protocol/operation.js";
import type { Name, OperationSpec, Owner } from "../support/conformance/node-under-test.js";
import { expectSame, lastOf, run, wait, type Step } from "../support/conformance/steps.js";
import { conformance } from "../support/conformance/suite.js";

interface Row {
  readonly title: string;
  readonly given: readonly Step[];
  /** By default it is stolen. */
  readonly when?: OperationSpec;
  /** Whose inbox, and what. An empty message asks only whether anybody listens. */
  readonly tells: readonly string[];
}

const LONG_MS = 60_000;
const acquire = (more: Partial<OperationSpec> = {}): OperationSpec => {
  return { kind: "acquire", fromNowUs: 0, ttlMs: LONG_MS, ...more };
};
const release = (more: Partial<OperationSpec> = {}): OperationSpec => {
  return { kind: "release", fence: 1, ttlMs: LONG_MS, ...more };
};
const leave: OperationSpec = { kind: "leave", inbox: "q", ticket: 1 };
const read = (more: Partial<OperationSpec> = {}): OperationSpec => {
  return acquire({ name: "aShared", placePrefix: "r", ...more });
};

/** They wait in this order. */
const zByQ = { owner: "z", inbox: "q", ticket: 1 } as const;
const yByP = { owner: "y", inbox: "p", ticket: 2 } as const;
const deaf = { owner: "y", inbox: "deaf", ticket: 0 } as const;
const wantsPermit = { name: "a0", placePrefix: "s" } as const;

const BOTH_WAIT = [run(acquire(), acquire(zByQ), acquire(yByP))];

/** Readers hold it. A reader waits for a writer whose process has ended; another writer's place has just expired. */
const HELD_BEFORE_DEAF = [
  ...[run(read({ owner: "x", placePrefix: undefined }), acquire(zByQ)), wait(PLACE_MS - 10)],
  ...[run(read({ ...yByP, ticket: 3 }), acquire({ ...deaf, ticket: 2 })), wait(11)],
];

const ROWS: readonly Row[] = [
  {
    title: "a release tells the first",
    given: BOTH_WAIT,
    when: release(),
    tells: ["q 20:lock:a"],
  },
  {
    title: "the first that listens",
    given: [run(acquire(), acquire(deaf), acquire(zByQ), acquire(yByP))],
    when: release(),
    tells: ["q 20:lock:a"],
  },
  {
    title: "the first whose place counts",
    given: [run(acquire(), acquire(zByQ)), wait(PLACE_MS - 10), run(acquire(yByP)), wait(11)],
    when: release(),
    tells: ["p 20:lock:a"],
  },
  {
    title: "a release of what another holds tells nobody",
    given: BOTH_WAIT,
    when: release({ owner: "y" }),
    tells: [],
  },
  {
    title: "a release that keeps the name closed tells the first that it ends sooner",
    given: BOTH_WAIT,
    when: release({ keepMs: 300 }),
    tells: ["q 20:lock:a"],
  },
  {
    title: "and nobody if none waits",
    given: [run(acquire())],
    when: release({ keepMs: 300 }),
    tells: [],
  },
  {
    title: "who leaves passes on what is kept for it",
    given: [...BOTH_WAIT, run(release())],
    when: leave,
    tells: ["p 20:lock:a"],
  },
  {
    title: "and of a free name, although nothing is kept for it any more",
    given: [...BOTH_WAIT, run(release()), wait(21)],
    when: leave,
    tells: ["p 20:lock:a"],
  },
  {
    title: "and only that",
    given: BOTH_WAIT,
    when: leave,
    tells: [],
  },
  {
    title: "with a reader those come in that wait before the next writer",
    given: [
      run(acquire(), read({ ...zByQ }), read({ ...yByP }), acquire({ ...zByQ, ticket: 3 })),
      run(release()),
    ],
    when: read({ ...zByQ }),
    tells: ["p r20:lock:a"],
  },
  {
    title: "and none behind it",
    given: [
      run(
        acquire(),
        read({ ...zByQ }),
        acquire({ ...zByQ, ticket: 2 }),
        read({ ...yByP, ticket: 3 }),
      ),
      run(release()),
    ],
    when: read({ ...zByQ }),
    tells: [],
  },
  {
    title: "nobody is told where a reader is kept out by a writer that listens",
    given: [run(read({ owner: "x", placePrefix: undefined }), acquire(zByQ))],
    when: read({ ...yByP }),
    tells: [],
  },
  {
    title: "a permit is told by its number",
    given: [
      run(
        acquire({ name: "a0" }),
        acquire({ name: "a1", owner: "y" }),
        acquire({ ...zByQ, ...wantsPermit }),
      ),
    ],
    when: release({ name: "a1", owner: "y" }),
    tells: ["q 20/1:lock:a"],
  },
  {
    title:
      "after a plain lock the first permit lets in those who wait for the others, number 0 included",
    given: [
      run(
        acquire(),
        acquire({ ...zByQ, ...wantsPermit, name: "a1" }),
        acquire({ ...yByP, ...wantsPermit }),
      ),
      run(release()),
    ],
    when: acquire({ ...zByQ, ...wantsPermit, name: "a1" }),
    tells: ["p 20/0:lock:a"],
  },
  {
    title: "who leaves tells those of a free permit who waited behind it",
    given: [run(acquire({ name: "a0" }), acquire(zByQ), acquire({ ...yByP, ...wantsPermit }))],
    when: leave,
    tells: ["p 20/1:lock:a"],
  },
  {
    title: "and not if it did not wait",
    given: [run(acquire({ name: "a0" }), acquire({ ...yByP, ...wantsPermit }))],
    when: leave,
    tells: [],
  },
  {
    title: "a writer that leaves tells the readers behind it",
    given: [run(read({ owner: "x", placePrefix: undefined }), acquire(zByQ), read({ ...yByP }))],
    when: leave,
    tells: ["p r20:lock:a"],
  },
  {
    title:
      "a writer whose process goes on waiting, for one that came later, tells the readers it was ahead of",
    given: [run(read({ owner: "x", placePrefix: undefined }), acquire(zByQ), read({ ...yByP }))],
    when: acquire({ ...zByQ, ticket: 3 }),
    tells: ["p r20:lock:a"],
  },
  {
    title: "so does one that its process queues with a release",
    given: [
      run(
        read({ owner: "x", placePrefix: undefined }),
        read({ owner: "z", placePrefix: undefined }),
      ),
      run(acquire(zByQ), read({ ...yByP })),
    ],
    when: release({ name: "aShared", inbox: "q", ticket: 3 }),
    tells: ["p r20:lock:a"],
  },
  {
    title: "and those who wait for a permit",
    given: [run(acquire({ name: "a0" }), acquire(zByQ), acquire({ ...yByP, ...wantsPermit }))],
    when: acquire({ ...zByQ, ticket: 3 }),
    tells: ["p 20/1:lock:a"],
  },
  {
    title: "and not if it comes no later",
    given: [run(read({ owner: "x", placePrefix: undefined }), acquire(zByQ), read({ ...yByP }))],
    when: acquire(zByQ),
    tells: [],
  },
  {
    title: "nor if it is still ahead",
    given: [
      run(read({ owner: "x", placePrefix: undefined }), acquire(zByQ)),
      run(read({ ...yByP, ticket: 5 })),
    ],
    when: acquire({ ...zByQ, ticket: 3 }),
    tells: [],
  },
  {
    title: "one who waited for a permit tells them, too",
    given: [
      run(
        ...[read({ owner: "x", placePrefix: undefined }), acquire({ ...zByQ, ...wantsPermit })],
        read({ ...yByP }),
      ),
    ],
    when: { kind: "leave", name: "aPermits", inbox: "q", ticket: 1, placePrefix: "s" },
    tells: ["p r20:lock:a"],
  },
  {
    title: "a reader that is restored lets the others in, like one that was granted",
    given: [run(acquire(), read({ ...zByQ }), read({ ...yByP })), run(release()), wait(21)],
    when: { kind: "heal", name: "aShared", owner: "x", fence: 5, ttlMs: LONG_MS },
    tells: ["p r20:lock:a"],
  },
  {
    title: "a first reader lets those in that waited behind a writer whose process has ended",
    given: [
      run(acquire(), acquire(zByQ), acquire({ ...deaf, ticket: 2 }), read({ ...yByP, ticket: 3 })),
      ...[run(release()), wait(21)],
    ],
    when: read({ owner: "x", placePrefix: undefined }),
    tells: ["p r20:lock:a"],
  },
  {
    title: "a reader that finds such a writer lets all in that waited behind it",
    given: HELD_BEFORE_DEAF,
    when: read({ ...zByQ, ticket: 4 }),
    tells: ["p r20:lock:a"],
  },
  {
    title: "even if it has to wait for another itself",
    given: [...HELD_BEFORE_DEAF, run(acquire({ ...zByQ, ...wantsPermit, ticket: 4 }))],
    when: read({ owner: "z", placePrefix: undefined }),
    tells: ["p r20:lock:a"],
  },
  {
    title: "as does a refresh",
    given: HELD_BEFORE_DEAF,
    when: {
      ...{ kind: "refresh", name: "aShared", inbox: "q" },
      places: [{ ticket: 4, placePrefix: "r", name: "aShared" }],
    },
    tells: ["p r20:lock:a", "q r20:lock:a"],
  },
  {
    title: "a permit goes to the first behind one whose process has ended, which wanted the name",
    given: [
      run(
        ...[acquire({ name: "a0" }), acquire({ name: "a1", owner: "y" }), acquire(deaf)],
        acquire({ ...zByQ, ...wantsPermit }),
      ),
    ],
    when: release({ name: "a1", owner: "y" }),
    tells: ["q 20/1:lock:a"],
  },
  {
    title: "a release that keeps the name closed tells the first that listens",
    given: [run(acquire(), acquire(deaf), acquire(zByQ))],
    when: release({ keepMs: 300 }),
    tells: ["q 20:lock:a"],
  },
  {
    title: "a refresh tells nobody",
    given: BOTH_WAIT,
    when: { kind: "refresh", inbox: "q", places: [{ ticket: 1 }] },
    tells: [],
  },
];

const [LOST_X, LOST_Y] = ["p lost x_____", "q lost y_____"];
const steal: OperationSpec = acquire({ owner: "z", preempts: true });
const revoke = (owner: Owner): OperationSpec => {
  return { kind: "revoke", ttlMs: LONG_MS, owner };
};
const expire = (name: Name, of: "kxp" | "kyq", inMs: number): OperationSpec => {
  return { kind: "expire", name, signs: [{ of, inMs }] };
};

/** Holders whose locks end otherwise than by their releases. */
const LOSSES: readonly Row[] = [
  { title: "of a lock that is stolen", given: [run(acquire({ owner: "xp" }))], tells: [LOST_X] },
  {
    title: "whatever else its owner says",
    given: [run(acquire({ owner: "kyq" }))],
    tells: [LOST_Y],
  },
  { title: "and not if it names no inbox", given: [run(acquire({ owner: "ky" }))], tells: [] },
  {
    title: "each of many readers",
    given: [run(read({ owner: "xp" }), read({ owner: "y" }), read({ owner: "kyq" }))],
    tells: [LOST_Y, LOST_X],
  },
  {
    title: "each holder of a permit",
    given: [run(acquire({ name: "a0", owner: "kyq" }), acquire({ name: "a1", owner: "kxp" }))],
    tells: [LOST_Y, LOST_X],
  },
  {
    title: "a hold of an owner",
    given: [run(acquire({ name: "aJob", owner: "xp" }))],
    tells: [LOST_X],
  },
  { title: "a set", given: [run(acquire({ name: "ab", owner: "xp" }))], tells: [LOST_X] },
  {
    title: "nobody when it is stolen again by the same owner",
    given: [run(acquire({ owner: "xp", preempts: true }))],
    when: acquire({ owner: "xp", preempts: true }),
    tells: [],
  },
  {
    title: "nobody of a lock that is not stolen because it has another layout",
    given: [run(acquire({ name: "aStamp", owner: "xp" }))],
    tells: [],
  },
  {
    title: "nobody when the name is only reserved",
    given: [...BOTH_WAIT, run(release())],
    tells: [],
  },
  {
    title: "of a lock that an operator ends",
    given: [run(acquire({ owner: "yq" }))],
    when: revoke("yq"),
    tells: [LOST_Y],
  },
  {
    title: "nobody when it is released, or passed on",
    given: [run(acquire({ owner: "xp" }), release({ owner: "xp" }), acquire({ owner: "xp" }))],
    when: acquire({ owner: "yq", previous: "xp" }),
    tells: [],
  },
];

/** Holders that are overdue; owned ends are exact on every server. */
const OVERDUE: readonly Row[] = [
  {
    title: "a reader that is overdue",
    given: [run(read({ owner: "kxp", ttlMs: 900 }), read({ owner: "kyq", ttlMs: 40 }))],
    when: expire("a", "kyq", 40),
    tells: [LOST_Y],
  },
  {
    title: "and not if it was renewed",
    given: [run(read({ owner: "kxp", ttlMs: 900 }), read({ owner: "kyq", ttlMs: 40 }))],
    when: expire("a", "kyq", 41),
    tells: [],
  },
];

conformance("who is told of a loss by a real server", (redis) => {
  for (const { title, given, when = steal, tells } of [...LOSSES, ...OVERDUE]) {
    it(title, async () => {
      const seen = await expectSame(redis(), [...given, run(when)]);
      expect(lastOf(seen).told).to.deep.equal(tells);
    });
  }

  it("a holder that is overdue", async () => {
    const mark = (redis().version[0] ?? 0) < 7 ? { mark: "~" as const } : {};
    const when: OperationSpec = { kind: "expire", signs: [{ of: "kxp", inMs: 900, ...mark }] };
    const held = run(acquire({ owner: "kxp", ttlMs: 900 }));
    expect(lastOf(await expectSame(redis(), [held, run(when)])).told).to.deep.equal([LOST_X]);
  });

  it("and a client that it refuses reads the label behind the inbox", async () => {
    const seen = await expectSame(redis(), [run(acquire({ owner: "kyq" })), run(acquire())]);
    const { votes } = lastOf(seen).answer as { readonly votes: readonly Vote[] };
    expect(votes[0]).to.include({ label: "host 7:é", holder: "y_____" });
  });
});

conformance("what those who wait are told by a real server", (redis) => {
  for (const { title, given, when = steal, tells } of ROWS) {
    it(title, async () => {
      const seen = await expectSame(redis(), [...given, run(when)]);
      expect(lastOf(seen).told).to.deep.equal(tells);
    });
  }
});
