import { createHash } from "node:crypto";
import { expect } from "chai";
import { FENCE_STEP } from "../../src/protocol/fencing.js";
import { MemoryNode } from "../support/conformance/memory-node.js";
import {
  NUMBER,
  operationOf,
  OWNERS,
  type OperationSpec,
  type Owner,
} from "../support/conformance/node-under-test.js";
import { expectSame, lastOf, requestOf, wait, type Step } from "../support/conformance/steps.js";
import { conformance } from "../support/conformance/suite.js";

const LONG_MS = 60_000;
const AGE_MS = 500;
const acquire = (more: Partial<OperationSpec> = {}): OperationSpec => {
  return { kind: "acquire", fromNowUs: 0, ttlMs: LONG_MS, ...more };
};
const release = (more: Partial<OperationSpec> = {}): OperationSpec => {
  return { kind: "release", fence: 1, ttlMs: LONG_MS, proposalUs: 1_000, ...more };
};
/** From a client that knows that record. */
const runFor = (recordId: string, ...of: readonly OperationSpec[]): Step => {
  return { do: "batch", recordId, of };
};
const run = (...of: readonly OperationSpec[]): Step => runFor("id-1", ...of);
const defers = (owner: Owner, maxAgeMs = AGE_MS) => ({ deferred: { owner, maxAgeMs } });

/** They wait in this order, each with its acquire. */
const zByQ = { owner: "z", inbox: "q", ticket: 1, ...defers("z") } as const;
const yByP = { owner: "y", inbox: "p", ticket: 2, ...defers("y") } as const;

const record: Step = { do: "handshake", request: {} };
const BOTH_WAIT = [record, run(acquire(), acquire(zByQ), acquire(yByP))];
const refreshOf = (inbox: "p" | "q"): Step =>
  run({ kind: "refresh", inbox, places: [{ ticket: 1 }] });

interface Row {
  readonly title: string;
  readonly given: readonly Step[];
  readonly when: OperationSpec;
  /** Who gets the lock; `free` where it is free, `turn` where it is reserved. */
  readonly gets: Owner | "free" | "turn";
  /** To whom it is told, and whether others wait. */
  readonly tells?: readonly string[];
}

const ROWS: readonly Row[] = [
  {
    title: "a release executes that of the first, and says whether others wait",
    given: BOTH_WAIT,
    when: release(),
    gets: "z",
    tells: ["q 1"],
  },
  {
    title: "and then that of the next",
    given: [...BOTH_WAIT, run(release())],
    when: release({ owner: "z" }),
    gets: "y",
    tells: ["p 0"],
  },
  {
    title: "a rollback does, too",
    given: [record, run(acquire(), acquire(zByQ))],
    when: release({ fence: undefined }),
    gets: "z",
    tells: ["q 0"],
  },
  {
    title: "a release that puts the next one of its process into the queue executes the first's",
    given: [record, run(acquire(), acquire(zByQ))],
    when: release({ inbox: "p", ticket: 5, ...defers("y") }),
    gets: "z",
    tells: ["q 1"],
  },
  {
    title: "or its own next one's, if that is first",
    given: [record, run(acquire(), acquire({ ...zByQ, ticket: 6 }))],
    when: release({ inbox: "p", ticket: 5, ...defers("y") }),
    gets: "y",
    tells: ["p 1"],
  },
  {
    title: "but a rollback not its own: what it gives up for others is not given back at once",
    given: [record, run(acquire(), acquire({ ...zByQ, ticket: 6 }))],
    when: release({ fence: undefined, inbox: "p", ticket: 5, ...defers("y") }),
    gets: "turn",
  },
  {
    title: "a release that comes after it leaves that waiter nowhere",
    given: [
      ...[record, run(acquire(), acquire(zByQ)), run(release())],
      run(release({ inbox: "q", ticket: 1, ...defers("z") })),
    ],
    when: release({ owner: "z" }),
    gets: "free",
    tells: [],
  },
  {
    title: "of a process that was heard of too long ago, none",
    given: [...BOTH_WAIT, wait(AGE_MS + 1)],
    when: release(),
    gets: "turn",
  },
  {
    title: "one that is as old as it may be",
    given: [...BOTH_WAIT, wait(AGE_MS)],
    when: release(),
    gets: "z",
    tells: ["q 1"],
  },
  {
    title: "of a process that has refreshed its places since",
    given: [...BOTH_WAIT, wait(AGE_MS), refreshOf("q"), wait(AGE_MS)],
    when: release(),
    gets: "z",
    tells: ["q 1"],
  },
  {
    title: "and not where another has",
    given: [...BOTH_WAIT, wait(AGE_MS), refreshOf("p"), wait(AGE_MS)],
    when: release(),
    gets: "turn",
  },
  {
    title: "none of a process that knew the node before it lost its data",
    given: [record, run(acquire()), runFor("id-0", release({ ...zByQ, ticket: 5 }))],
    when: release(),
    gets: "turn",
  },
  {
    title:
      "none that was left before the node lost its data, although its process has been heard of since",
    given: [
      record,
      ...[run(acquire()), runFor("id-0", release({ ...zByQ, ticket: 5 }))],
      ...[wait(AGE_MS + 1), refreshOf("q")],
    ],
    when: release(),
    gets: "turn",
  },
  {
    title: "none of a process that does not compare records",
    given: [record, runFor("", acquire(), acquire(zByQ))],
    when: release(),
    gets: "turn",
  },
  {
    title: "none by a release without a proposal: it would have no fence",
    given: BOTH_WAIT,
    when: release({ proposalUs: undefined }),
    gets: "turn",
  },
  {
    title: "none by who releases what another holds",
    given: BOTH_WAIT,
    when: release({ owner: "y" }),
    gets: "x",
    tells: [],
  },
  {
    title: "that of the last attempt of a process, and not of the one before",
    given: [
      record,
      run(acquire(), acquire(zByQ), acquire({ ...zByQ, ...defers("y"), owner: "y" })),
    ],
    when: release(),
    gets: "y",
    tells: ["q 0"],
  },
  {
    title: "none of an attempt that came without",
    given: [record, run(acquire(), acquire(zByQ), acquire({ ...zByQ, deferred: undefined }))],
    when: release(),
    gets: "turn",
  },
  {
    title: "none of a place that was left",
    given: [...BOTH_WAIT, run({ kind: "leave", inbox: "q", ticket: 1 })],
    when: release(),
    gets: "y",
    tells: ["p 0"],
  },
  {
    title: "none of one that was granted, when it waits again without",
    given: [
      ...BOTH_WAIT,
      ...[wait(AGE_MS + 1), run(release()), run(acquire(zByQ), { kind: "heal", ...zByQ })],
      run(acquire({ owner: "x", inbox: "q", ticket: 1 })),
    ],
    when: release({ owner: "z" }),
    gets: "turn",
  },
  {
    title: "none that was withdrawn by a release of its owner, nor its place",
    given: [...BOTH_WAIT, run(release({ owner: "z", inbox: "q", ticket: 0 }))],
    when: release(),
    gets: "y",
    tells: ["p 0"],
  },
  {
    title: "nor where its place has come without",
    given: [
      record,
      run(acquire(), acquire({ owner: "z", inbox: "q", ticket: 1 }), acquire(yByP)),
      run(release({ owner: "z", inbox: "q", ticket: 0 })),
    ],
    when: release(),
    gets: "y",
    tells: ["p 0"],
  },
  {
    title: "that of the next one, where the name was kept for one that is withdrawn",
    given: [...BOTH_WAIT, wait(AGE_MS + 1), refreshOf("p"), run(release())],
    when: release({ owner: "z", inbox: "q", ticket: 0 }),
    gets: "y",
    tells: ["p 0"],
  },
  {
    title: "that of the next attempt, although the one before is withdrawn",
    given: [
      record,
      run(acquire(), acquire({ ...zByQ, ...defers("y") })),
      run(release({ owner: "z", inbox: "q", ticket: 0 })),
    ],
    when: release(),
    gets: "y",
    tells: ["q 0"],
  },
  {
    title: "nor the place of an attempt that came back with an older state of the node",
    given: [
      record,
      run(acquire(), acquire(yByP)),
      runFor("id-0", release({ ...zByQ, ...defers("x") })),
      run(release({ owner: "z", inbox: "q", ticket: 0 })),
    ],
    when: release(),
    gets: "y",
    tells: ["p 0"],
  },
  {
    title: "none of the owner that the release ends",
    given: [record, run(acquire({ owner: "z" }))],
    when: release({ owner: "z", inbox: "q", ticket: 1, ...defers("z") }),
    gets: "turn",
  },
  {
    title: "none on a node without a record",
    given: [runFor("", acquire()), run(release({ ...zByQ, ticket: 5 }))],
    when: release(),
    gets: "turn",
  },
  {
    title: "none of an owner that an operator has ended",
    given: [
      record,
      run(acquire(), acquire(zByQ)),
      run({ kind: "revoke", owner: "z", ttlMs: LONG_MS }),
    ],
    when: release(),
    gets: "turn",
  },
  {
    title: "none by the turn of another place of its process",
    given: [
      record,
      run(acquire(), acquire(zByQ)),
      run(acquire({ ...zByQ, ...defers("y"), owner: "y", ticket: 3, turnMs: 30 })),
    ],
    when: release(),
    gets: "turn",
  },
  {
    title: "that of the next where nobody listens to the first",
    given: [record, run(acquire(), acquire({ ...zByQ, inbox: "deaf" }), acquire(yByP))],
    when: release(),
    gets: "y",
    tells: ["p 0"],
  },
  {
    title: "by the last of several readers",
    given: [record, run(acquire({ name: "aShared" }), acquire(zByQ))],
    when: release({ name: "aShared" }),
    gets: "z",
    tells: ["q 0"],
  },
  {
    title: "not by a release of several names",
    given: [record, run(acquire({ name: "ab" }), acquire(zByQ))],
    when: release({ name: "ab" }),
    gets: "turn",
  },
];

conformance("deferred acquires", (redis) => {
  for (const { title, given, when, gets, tells } of ROWS) {
    it(title, async () => {
      const seen = await expectSame(redis(), [...given, run(when)]);
      const { state, told } = lastOf(seen);
      const holder = textOf(state);
      if (gets === "turn") expect(holder).to.match(/^turn:/);
      else if (gets === "free") expect(holder).to.equal(undefined);
      else expect(holder).to.equal(OWNERS[gets]);
      if (tells === undefined) return expect(told.join()).to.match(/^. 20:lock:a$/);
      const said = told.map((message) => {
        const [to, word, fence, number, isWaitedFor, proof, key] = message.split(" ");
        expect([word, number, key]).to.deep.equal(["granted", String(NUMBER), "lock:a"]);
        const proven = `${OWNERS[gets as Owner]} id-1 ${number} ${fence}`;
        expect(proof).to.equal(createHash("sha1").update(proven).digest("hex"));
        return `${to} ${isWaitedFor}`;
      });
      return expect(said).to.deep.equal(tells);
    });
  }

  for (const [how, last] of [
    ["left", { kind: "leave", inbox: "q", ticket: 1 }],
    ["withdrawn", release({ owner: "z", inbox: "q", ticket: 0 })],
    [
      "withdrawn by one that keeps the name closed",
      release({ owner: "z", inbox: "q", ticket: 0, keepMs: 50 }),
    ],
    ["granted otherwise", acquire({ ...zByQ, previous: "x" })],
  ] as const) {
    it(`are gone from the node when they are ${how}`, async () => {
      const seen = await expectSame(redis(), [record, run(acquire(), acquire(zByQ)), run(last)]);
      expect(deferredIn(seen.at(-2)?.state)).to.have.lengthOf(1);
      expect(deferredIn(lastOf(seen).state)).to.deep.equal([]);
    });
  }

  it("are gone also where the node has no memory for the next one of its process", async () => {
    const node = new MemoryNode(redis().nowUs, [7, 0]);
    const batch = (of: OperationSpec) => node.batch([operationOf(of, node.nowUs)], "id-1");
    await node.handshake(requestOf({}));
    for (const each of [acquire(), acquire(zByQ)]) await batch(each);
    expect(deferredIn(await node.state())).to.have.lengthOf(1);
    node.redis.isOutOfMemory = true;
    await batch(release({ owner: "z", inbox: "q", ticket: 2, ...defers("y") }));
    expect(deferredIn(await node.state())).to.deep.equal([]);
  });

  it("let those in that waited behind them, when they are withdrawn", async () => {
    const own = { owner: "y", inbox: "p", ticket: 2, placePrefix: "r" } as const;
    const reader = acquire({ name: "aShared", ...own });
    const given = [record, run(acquire({ name: "aShared" }), acquire(zByQ), reader)];
    const withdrawn = release({ owner: "z", inbox: "q", ticket: 0 });
    const seen = await expectSame(redis(), [...given, run(withdrawn)]);
    expect(lastOf(seen).told).to.deep.equal(["p r20:lock:a"]);
  });

  it("have the fence of the proposal, which is the same on all nodes", async () => {
    const seen = await expectSame(redis(), [...BOTH_WAIT, run(release())]);
    const [, , fence] = lastOf(seen).told[0]?.split(" ") ?? [];
    expect(Number(fence)).to.equal(redis().nowUs + 1_000);
  });

  it("have the next fence, where the one before drew it and listens no more", async () => {
    const deaf = acquire({ ...zByQ, inbox: "deaf" });
    const given = [record, run(acquire(), deaf, acquire(yByP))];
    const seen = await expectSame(redis(), [...given, run(release())]);
    const [, , fence] = lastOf(seen).told[0]?.split(" ") ?? [];
    expect(Number(fence)).to.equal(redis().nowUs + 1_000 + FENCE_STEP);
  });

  it("have one fence: an acquire of their owner after they were executed gets the same", async () => {
    const again = acquire({ ...zByQ, fromNowUs: 500_000 });
    const seen = await expectSame(redis(), [...BOTH_WAIT, run(release()), run(again)]);
    const [, , fence] = seen.at(-2)?.told[0]?.split(" ") ?? [];
    expect(JSON.stringify(lastOf(seen).answer)).to.include(`"fence":${fence}`);
  });

  it("are found by a refresh once they are executed, if the message is lost", async () => {
    const refresh = { kind: "refresh", inbox: "q", places: [{ ticket: 1 }] } as const;
    const seen = await expectSame(redis(), [...BOTH_WAIT, run(release()), run(refresh)]);
    expect(JSON.stringify(lastOf(seen).answer)).to.include('"blockedMs":{"0":0}');
    const other = { ...refresh, inbox: "p", places: [{ ticket: 2 }] } as const;
    const others = await expectSame(redis(), [...BOTH_WAIT, run(release()), run(other)]);
    expect(JSON.stringify(lastOf(others).answer)).not.to.include('"blockedMs":{"0":0}');
  });
});

/** Without the empty messages that only find out who listens. */
function deferredIn(state: unknown): string[] {
  return Object.keys(state as object).filter((key) => key.startsWith("quorate:deferred-"));
}

function textOf(state: unknown): unknown {
  return ((state as Record<string, { text?: string } | undefined>)["lock:a"] ?? {}).text;
}
