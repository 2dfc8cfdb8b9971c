import { expect } from "chai";
import * as fc from "fast-check";
import type { LockKind } from "../../src/protocol/lock-kind.js";
import type { Vote } from "../../src/protocol/operation.js";
import {
  NAMES,
  operationOf,
  OWNERS,
  type OperationSpec,
} from "../support/conformance/node-under-test.js";
import {
  expectSame,
  lastOf,
  put,
  putFence,
  run,
  wait,
  type Step,
} from "../support/conformance/steps.js";
import { conformance } from "../support/conformance/suite.js";
import { holdersFound } from "../../src/kinds/holders.js";

type More = Partial<OperationSpec>;
const plain = (more: More = {}): OperationSpec => ({ kind: "acquire", fromNowUs: 0, ...more });
const reader = (more: More = {}): OperationSpec => plain({ name: "aShared", ...more });
const look: OperationSpec = { kind: "inspect", name: "a", fence: 0 };
const handshake: Step = { do: "handshake", request: {} };
/** By one who knows the incarnation. */
const known = (...of: OperationSpec[]): Step => ({ do: "batch", recordId: "id-1", of });
const revoke = (more: More = {}): OperationSpec => ({ kind: "revoke", fence: 0, ...more });
const heal = (more: More = {}): OperationSpec => ({ kind: "heal", fence: 5, ...more });
const y = { owner: "y" } as const;
const zByP = { owner: "z", inbox: "p" } as const;

interface Look {
  readonly title: string;
  readonly given?: readonly Step[];
  /** Holder, ms left, how many wait, and the readers; or what was refused. */
  readonly sees: string;
}

const LOOKS: readonly Look[] = [
  { title: "a free name", sees: "- 0 0" },
  { title: "a holder with its label", given: [run(plain(y))], sees: "y 1000 0" },
  { title: "less time", given: [run(plain({ ttlMs: 50 })), wait(20)], sees: "x 30 0" },
  { title: "a key at its end", given: [run(plain({ ttlMs: 50 })), wait(50)], sees: "x 0 0" },
  { title: "nobody after it", given: [run(plain({ ttlMs: 50 })), wait(51)], sees: "- 0 0" },
  {
    title: "those who wait, readers too",
    given: [run(plain(), plain(zByP), reader({ owner: "y", inbox: "q", placePrefix: "r" }))],
    sees: "x 1000 2",
  },
  {
    title: "a turn",
    given: [run(plain(), plain(zByP)), run({ kind: "release" })],
    sees: "turn 20 0",
  },
  {
    title: "readers, less those that ended",
    given: [
      run(reader({ ttlMs: 50 }), reader({ owner: "y", ttlMs: 300 })),
      wait(100),
      run(reader({ owner: "z" })),
    ],
    sees: "shared 1000 0 y=200 z=1000",
  },
  {
    title: "permits, less turns",
    given: [
      run(plain({ name: "a0" }), plain({ name: "a1", owner: "y", ttlMs: 300 })),
      run(plain({ name: "a0", owner: "z", inbox: "p", placePrefix: "s" })),
      run({ kind: "release", name: "a0" }),
    ],
    sees: "semaphore 300 0 1=300",
  },
  {
    title: "holds of an owner, less those that ended",
    given: [
      run(plain({ name: "aJob", ttlMs: 50 }), plain({ name: "aJob", owner: "y", ttlMs: 300 })),
      wait(100),
      run(plain({ name: "aJob", owner: "z" })),
    ],
    sees: "reentrant-lock-held-by 1000 0 y=200 z=1000",
  },
  {
    title: "the owner of a timestamp, and not the timestamp alone",
    given: [run(plain({ name: "aStamp", ttlMs: 300 })), wait(100)],
    sees: "timestamp 200 0 x=200",
  },
  {
    title: "the owner of a timestamp in seconds",
    given: [run(plain({ name: "aSeconds", owner: "y" }))],
    sees: "timestamp 1000 0 y=1000",
  },
  {
    title: "nobody beside the timestamp of another client",
    given: [run(plain({ name: "aStamp" })), put("a", "1700000000000", 77)],
    sees: "timestamp 77 0",
  },
  { title: "a lock of Redisson", given: [run(plain({ name: "aHash" }))], sees: "foreign" },
  { title: "a string for ever", given: [put("a", "data")], sees: "foreign" },
  { title: "the lock of another client", given: [put("a", "data", 77)], sees: "data 77 0" },
  { title: "a name that was ended", given: [run(plain(), revoke())], sees: "x 1000 0" },
];

interface Ended {
  readonly title: string;
  readonly given?: readonly Step[];
  readonly when: readonly OperationSpec[];
  readonly gives: string;
}

const ENDED: readonly Ended[] = [
  { title: "is not healed", when: [revoke(), heal()], gives: "+ ended" },
  { title: "nor where its key stands", when: [plain(), revoke(), heal()], gives: "+ + ended" },
  { title: "nor as a turn", when: [revoke(), heal({ inbox: "p" })], gives: "+ ended" },
  { title: "nor without fencing", when: [revoke(), heal({ fence: undefined })], gives: "+ ended" },
  { title: "others are", when: [revoke(), heal(y)], gives: "+ +" },
  {
    title: "is extended where its key stands",
    when: [plain(), revoke(), { kind: "extend" }],
    gives: "+ + +",
  },
  {
    title: "is released",
    when: [plain(), revoke(), { kind: "release" }, heal()],
    gives: "+ + + ended",
  },
  {
    title: "leaves the name to others, before and behind it",
    when: [plain(), revoke(), { kind: "release" }, plain(y), { kind: "release", ...y }, heal()],
    gives: "+ + + + + ended",
  },
  {
    title: "as a permit",
    when: [revoke(), heal({ name: "a0" }), heal({ name: "a0", ...y })],
    gives: "+ ended +",
  },
  {
    title: "as a hold of an owner",
    when: [revoke(), heal({ name: "aJob" }), heal({ name: "aJob", ...y })],
    gives: "+ ended +",
  },
  {
    title: "in the layout of Redisson",
    when: [revoke(), heal({ name: "aHash" })],
    gives: "+ ended",
  },
  { title: "as a reader", when: [revoke(), heal({ name: "aShared" })], gives: "+ ended" },
  {
    title: "of a set, by any of its names",
    when: [
      revoke({ name: "b" }),
      heal({ name: "ab" }),
      revoke({ owner: "y" }),
      heal({ name: "ab", ...y }),
    ],
    gives: "+ ended + ended",
  },
  {
    title: "for as long as the longest was asked for",
    given: [run(revoke({ ttlMs: 50 }), revoke({ ...y, ttlMs: 20 })), wait(50)],
    when: [heal()],
    gives: "ended",
  },
  {
    title: "and no longer",
    given: [run(revoke({ ttlMs: 50 })), wait(51)],
    when: [heal()],
    gives: "+",
  },
  {
    title: "at a name with a hash tag",
    when: [revoke({ name: "tagged" }), heal({ name: "tagged" }), heal()],
    gives: "+ ended +",
  },
];

/** Where incarnations are compared; after it was ended, an acquire that had been on its way. */
const LATE: readonly Ended[] = [
  { title: "is not acquired", when: [revoke(), plain()], gives: "+ ended" },
  { title: "nor in another call", given: [known(revoke())], when: [plain()], gives: "ended" },
  {
    title: "nor without fencing",
    when: [revoke(), plain({ fromNowUs: undefined })],
    gives: "+ ended",
  },
  {
    title: "nor with a place in the queue",
    when: [revoke(), plain({ inbox: "p" })],
    gives: "+ ended",
  },
  {
    title: "nor by a hand-over",
    when: [plain(y), revoke(), plain({ previous: "y" }), { kind: "extend", ...y }],
    gives: "+ + ended +",
  },
  { title: "others are", when: [revoke(), plain(y), { kind: "extend", ...y }], gives: "+ + +" },
  {
    title: "nor as a reader, as a permit, for an owner, in the layout of Redisson, in a set",
    when: [
      revoke(),
      ...(["aShared", "a0", "aJob", "aHash", "ab"] as const).map((name) => plain({ name })),
    ],
    gives: "+ ended ended ended ended ended",
  },
  {
    title: "nor where others have it",
    when: [plain(y), revoke(), plain(), { kind: "release", ...y }, plain()],
    gives: "+ + ended + ended",
  },
  {
    title: "for as long as the longest was asked for",
    given: [known(revoke({ ttlMs: 50 }), revoke({ ...y, ttlMs: 20 })), wait(49)],
    when: [plain()],
    gives: "ended",
  },
  {
    title: "for as long as the last of several was asked for, which begins later",
    given: [
      ...[known(revoke({ ttlMs: 50 })), wait(30)],
      ...[known(revoke({ ...y, ttlMs: 50 })), wait(30)],
    ],
    when: [plain(y)],
    gives: "ended",
  },
  {
    title: "and no longer",
    given: [known(revoke({ ttlMs: 50 }), revoke({ ...y, ttlMs: 20 })), wait(51)],
    when: [plain()],
    gives: "+",
  },
];

conformance("looking and ending on a real server and in memory", (redis) => {
  for (const { title, given = [], sees } of LOOKS) {
    it(`sees ${title}`, async () => {
      const all = await expectSame(redis(), [...given, run(look)]);
      expect(inWords(lastOf(all).answer)).to.equal(sees);
      if (given.length > 0) expect(lastOf(all).state).to.deep.equal(all.at(-2)?.state);
    });
  }

  it("sees the counter", async () => {
    const fence = 3_000_000_000_000_000;
    const last = lastOf(await expectSame(redis(), [putFence(fence), run(look)]));
    expect(votesIn(last.answer)[0]?.snapshot?.fence).to.equal(fence);
  });

  it("looks whatever incarnation the sender knows", async () => {
    const steps: Step[] = [{ do: "batch", recordId: "another", of: [look, revoke()] }];
    const last = lastOf(await expectSame(redis(), steps));
    expect(votesIn(last.answer).map(({ kind }) => kind)).to.deep.equal(["granted", "granted"]);
    expect(last.answer).to.include({ isSameIncarnation: true });
  });

  it("sees data of another type", async () => {
    await redis().forget();
    await redis().client.hset("lock:a", "field", "value");
    const reply = await redis().batch([operationOf(look, redis().nowUs)], "");
    expect(inWords(reply)).to.equal("foreign");
  });

  const KINDS = ["a", "aShared", "a0", "aJob", "aStamp", "aSeconds", "ab"] as const;
  for (const name of KINDS) {
    it(`ends a lock by what it saw of it: ${name}`, async () => {
      const held = plain({ name });
      const looked = await expectSame(redis(), [handshake, known(held), run(look)]);
      const [vote] = (lastOf(looked).answer as { votes: Vote[] }).votes;
      const [found, ...others] = holdersFound(vote === undefined ? [] : [vote], NAMES.a);
      expect(others).to.deep.equal([]);
      expect(found?.ownerId).to.equal(OWNERS.x);
      // A set is released name by name.
      expect(asData(found?.keys)).to.deep.equal(asData(name === "ab" ? NAMES.a : NAMES[name]));
      const release: OperationSpec = { kind: "release", name: name === "ab" ? "a" : name };
      await gives(
        [handshake, known(held), known(revoke(), release, heal({ name }), held, look)],
        "+ + ended ended +",
      );
      const { answer } = lastOf(
        await expectSame(redis(), [handshake, known(held), known(revoke(), release), run(look)]),
      );
      expect(inWords(answer)).to.equal("- 0 0");
    });
  }

  async function gives(steps: readonly Step[], expected: string): Promise<void> {
    const { answer } = lastOf(await expectSame(redis(), steps));
    const words = votesIn(answer).map(({ kind, reason }) => {
      return kind === "granted" ? "+" : (reason ?? kind);
    });
    expect(words.join(" ")).to.equal(expected);
  }

  for (const row of ENDED) {
    const { title, given = [], when } = row;
    it(`a lock that was ended: ${title}`, () => gives([...given, run(...when)], row.gives));
  }

  for (const row of LATE) {
    const { title, given = [], when } = row;
    it(`a lock that was ended, late: ${title}`, () => {
      return gives([handshake, ...given, known(...when)], row.gives);
    });
  }

  it("the same answers and keys whatever is asked", async () => {
    const operation = fc.record({
      kind: fc.constantFrom(
        ...(["acquire", "release", "extend", "heal", "revoke", "inspect"] as const),
      ),
      name: fc.constantFrom(
        ...(["a", "aShared", "aJob", "a0", "a1", "aStamp", "aSeconds"] as const),
      ),
      owner: fc.constantFrom("x" as const, "y" as const),
      ttlMs: fc.constantFrom(5, 40, 1_000),
      fence: fc.constantFrom(1, 7),
      isKnown: fc.boolean(),
    });
    const step = fc.oneof(
      {
        weight: 5,
        arbitrary: operation.map((spec) => {
          if (spec.kind === "inspect") return run(look);
          const { isKnown, ...rest } = spec;
          const send = isKnown ? known : run;
          return send(rest.kind === "revoke" ? { ...rest, name: "a" } : rest);
        }),
      },
      { weight: 1, arbitrary: fc.constantFrom(1, 6, 50).map(wait) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 15 }), async (steps) => {
        await expectSame(redis(), [handshake, ...steps]);
      }),
      { numRuns: 60 },
    );
  });
});

interface SeenVote {
  readonly kind: string;
  readonly reason?: string;
  readonly snapshot?: {
    readonly holder?: string;
    readonly remainingMs: number;
    readonly fence?: number;
    readonly waitingCount: number;
    readonly coHolders: readonly { readonly text: string; readonly remainingMs: number }[];
  };
}

function votesIn(answer: unknown): readonly SeenVote[] {
  return (answer as { votes: readonly SeenVote[] }).votes;
}

/** Owners by their first letters, as in `y_____:label`. */
function inWords(answer: unknown): string {
  const vote = votesIn(answer).at(-1);
  if (vote?.snapshot === undefined) return vote?.reason ?? "nothing";
  const { holder = "-", remainingMs, waitingCount, coHolders } = vote.snapshot;
  const short = (owner: string): string => {
    return owner.replace(/^\d{10,}$/, "timestamp").replace(/[_:].*$/, "");
  };
  const list = coHolders.map(({ text, remainingMs: left }) => `${short(text)}=${left}`);
  return [short(holder), remainingMs, waitingCount, ...list].join(" ");
}

/** Functions are made for each object anew. */
function asData(kind: LockKind | undefined): unknown {
  return kind && JSON.parse(JSON.stringify(kind));
}
