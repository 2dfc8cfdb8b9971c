import { expect } from "chai";
import * as fc from "fast-check";
import { fenceBucketOf, RECORD_KEY } from "../../src/protocol/keys.js";
import type { Operation, OperationKind } from "../../src/protocol/operation.js";
import type { Waiter } from "../../src/protocol/waiter.js";
import { headOf } from "../../src/script/operation-shape.js";
import { decodeReply, encodeBatch } from "../../src/script/batch-codec.js";
import { operation } from "../support/channel-bench.js";
import { keysOf } from "../../src/kinds/exclusive.js";
import { sharedLock } from "../../src/kinds/shared.js";
import { severalLock } from "../../src/kinds/several.js";
import { permitLock } from "../../src/kinds/permit.js";

const CONSTANTS = { fenceSlackUs: 15_000_000 };

/** Of the call. */
const NUMBER = 281_474_976_710_655;

const WAITER: Waiter = { inbox: "inbox", ticket: 5, turnMs: 20 };

const anyOperation = fc
  .record({
    kind: fc.constantFrom<OperationKind>("acquire", "seal", "extend", "heal", "release"),
    ownerId: fc.string(),
    ttlMs: fc.constantFrom(1, 2),
    fence: fc.option(fc.nat(), { nil: undefined }),
    isWaiting: fc.boolean(),
  })
  .map(({ kind, ownerId, isWaiting, ...over }): Operation => {
    const canWait = kind === "acquire" || kind === "release" || kind === "heal";
    return operation(kind, ownerId, {
      ...over,
      waiter: isWaiting && canWait ? WAITER : undefined,
    });
  });

interface ShapeRow {
  readonly title?: string;
  readonly kind: OperationKind;
  readonly over?: Partial<Operation>;
  readonly step?: string;
  readonly of?: string;
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

/** As the script reads it: of every operation its keys; and step, kind, ttl, a proposal of its group, and its arguments. */
function readBatch([count, ...rest]: string[]): { keys: string[][]; read: string[][] } {
  const [record = "", ...keys] = rest.splice(0, Number(count));
  expect(record).to.equal(RECORD_KEY);
  const argv = rest.slice(3);
  const [keysOfEach, read]: [string[][], string[][]] = [[], []];
  while (argv.length > 0) {
    const [step = "", kind = "", ttlMs = "", size, keyCount, argumentCount, proposal] = argv.splice(
      0,
      7,
    );
    const ofGroup = proposal === "" ? [] : [`proposal ${proposal}`];
    for (let n = 0; n < Number(size); n++) {
      keysOfEach.push(keys.splice(0, Number(keyCount)));
      read.push([step, kind, ttlMs, ...ofGroup, ...argv.splice(0, Number(argumentCount))]);
    }
  }
  expect(keys, "keys that are nobody's").to.deep.equal([]);
  return { keys: keysOfEach, read };
}

describe("encodeBatch", () => {
  it("puts the keys in front, then the constants, then the operations in groups of one kind and ttl", () => {
    const operations = [
      operation("acquire", "me", { keys: keysOf("lock:", "a"), ttlMs: 1_000, fence: 77 }),
      operation("release", "you", { keys: keysOf("lock:", "b"), ttlMs: 2_000, fence: 88 }),
      operation("release", "him", { keys: keysOf("lock:", "c"), ttlMs: 2_000, fence: 99 }),
      operation("release", "her", { keys: keysOf("lock:", "d"), ttlMs: 3_000, fence: 11 }),
    ];
    const [A, B, C, D] = ["lock:a", "lock:b", "lock:c", "lock:d"].map(fenceBucketOf);
    expect(encodeBatch(operations, "record", NUMBER, CONSTANTS)).to.deep.equal([
      ...[
        "5",
        RECORD_KEY,
        "lock:a",
        "lock:b",
        "lock:c",
        "lock:d",
        "record",
        "15000000",
        String(NUMBER),
      ],
      ...["acquire", "exclusive", "1000", "1", "1", "2", "77", "me", A],
      ...["release", "exclusive", "2000", "2", "1", "3", "", "you", B, "88", "him", C, "99"],
      ...["release", "exclusive", "3000", "1", "1", "3", "", "her", D, "11"],
    ]);
  });

  it("puts acquires with different proposals into different groups", () => {
    const acquires = [7, 7, 8].map((fence) => operation("acquire", "me", { fence }));
    expect([headOf(acquires, 0).size, headOf(acquires, 2).size]).to.deep.equal([2, 1]);
  });

  const AT_A = keysOf("lock:", "a");
  const KEYS = ["lock:a"];
  const OWN = ["me", AT_A.fenceBucket];
  for (const { title, kind, over, step = kind, of = "exclusive", keys, args } of [
    { kind: "acquire", keys: KEYS, args: ["proposal 7", ...OWN] },
    { kind: "seal", keys: KEYS, args: [...OWN, "7"] },
    { kind: "extend", keys: KEYS, args: ["me"] },
    { kind: "heal", keys: KEYS, args: [...OWN, "7"] },
    { kind: "release", keys: KEYS, args: [...OWN, "7"] },
    {
      title: "a look at all that may stand under a name",
      kind: "inspect",
      keys: KEYS,
      args: OWN,
    },
    {
      title: "an acquire that takes the name from whoever holds it",
      kind: "acquire",
      over: { preempts: true },
      of: "stolen",
      keys: KEYS,
      args: [...OWN, "7", "", "0", "0", ""],
    },
    { kind: "revoke", keys: KEYS, args: OWN },
    ...(["acquire", "heal", "release", "leave"] as const).map((kind) => ({
      title: `a ${kind} of one who waits`,
      kind,
      over: { waiter: WAITER },
      keys: KEYS,
      args: [...OWN, "7", "inbox", "5", "20", ""],
    })),
    {
      title: "a hand-over, whose previous owner stands behind",
      kind: "acquire",
      over: { waiter: WAITER, previous: { ownerId: "you", token: 6 } },
      keys: KEYS,
      args: [...OWN, "7", "inbox", "5", "20", "", "you", "6"],
    },
    {
      title: "a release that keeps the name closed",
      kind: "release",
      over: { keepMs: 1_000 },
      step: "close",
      keys: KEYS,
      args: [...OWN, "7"],
    },
    ...(["extend", "heal", "release"] as const).map((kind) => ({
      title: `a ${kind} of a lease that was extended beyond its ttl`,
      kind,
      over: { keptMs: 5_000 },
      keys: KEYS,
      args: [...OWN, "7", "", "0", "0", "5000"],
    })),
    {
      title: "another kind of lock, with keys and arguments of its own behind",
      kind: "extend",
      over: { keys: permitLock(AT_A, 3, 2) },
      of: "permit",
      keys: KEYS,
      args: [...OWN, "7", "", "0", "0", "", "3", "2"],
    },
    {
      title: "another kind of lock of one who waits",
      kind: "acquire",
      over: { keys: sharedLock(AT_A), waiter: { ...WAITER, placePrefix: "r" } },
      of: "shared",
      keys: KEYS,
      args: [...OWN, "7", "inbox", "5", "r20", ""],
    },
    {
      title: "a refresh of places, group by group of those that differ in name and ticket only",
      kind: "refresh",
      over: {
        places: [
          { keys: AT_A, waiter: { ...WAITER, ticket: 1_700_000_000_000_005 } },
          { keys: keysOf("lock:", "q"), waiter: { ...WAITER, ticket: 1_700_000_000_000_017 } },
          { keys: keysOf("lock:", "é"), waiter: { ...WAITER, ticket: 1_700_000_000_000_002 } },
          { keys: keysOf("", "{t}}"), waiter: { ...WAITER, ticket: 1_700_000_000_000_010 } },
          { keys: permitLock(AT_A, 3), waiter: { ...WAITER, placePrefix: "s" } },
          { keys: permitLock(AT_A, 4), waiter: { ...WAITER, placePrefix: "s" } },
        ],
      },
      keys: [...KEYS, "lock:a", "lock:q", "lock:é", "{t}}", "lock:a", "lock:a"],
      args: [
        ...[...OWN, "7", "", "0", "0", "", "3"],
        ...["4", "1700000000000005,12,-3,5", "20", ""],
        ...["1", "5", "s20", "3"],
        ...["1", "5", "s20", "4"],
      ],
    },
  ] satisfies readonly ShapeRow[] as readonly ShapeRow[]) {
    it(`sends by name what is due: ${title ?? `a plain ${kind}`}`, () => {
      const asked = operation(kind, "me", { keys: AT_A, fence: 7, ttlMs: 1_000, ...over });
      const sent = readBatch(encodeBatch([asked], "", NUMBER, CONSTANTS));
      expect(sent).to.deep.equal({ keys: [keys], read: [[step, of, "1000", ...args]] });
    });
  }

  it("makes a group of what is alike, and no group of what is not", () => {
    const at = (name: string) => keysOf("lock:", name);
    const groups = [
      ["a", "b"].map((name) => operation("extend", "me", { keys: sharedLock(at(name)) })),
      ["a", "b"].map((name) => operation("extend", "me", { keys: permitLock(at(name), 3, 1) })),
      [operation("extend", "me", { keys: severalLock([at("a"), at("b")]) })],
      [operation("extend", "me", { keys: severalLock([at("a"), at("b"), at("c")]) })],
      [operation("extend", "me"), operation("extend", "you")],
      [operation("acquire", "me")],
      [
        operation("acquire", "me", { waiter: WAITER }),
        operation("acquire", "you", { waiter: WAITER }),
      ],
      [operation("acquire", "me", { waiter: WAITER, previous: { ownerId: "you", token: 6 } })],
    ];
    const all = groups.flat();
    for (const [index, group] of groups.entries()) {
      const from = groups.slice(0, index).flat().length;
      expect(headOf(all, from).size, `group ${index}`).to.equal(group.length);
    }
  });

  it("gives no token and no proposal without fencing", () => {
    const keys = keysOf("lock:", "a");
    for (const kind of ["acquire", "release"] as const) {
      const { read } = readBatch(
        encodeBatch([operation(kind, "me", { keys, fence: undefined })], "", NUMBER, CONSTANTS),
      );
      const token = kind === "release" ? [""] : [];
      expect(read).to.deep.equal([[kind, "exclusive", "1000", "me", keys.fenceBucket, ...token]]);
    }
  });

  it("keeps the places that the script reads, for any number of operations", () => {
    fc.assert(
      fc.property(fc.array(anyOperation, { maxLength: 20 }), (operations) => {
        const together = readBatch(encodeBatch(operations, "id", NUMBER, CONSTANTS));
        const each = operations.map((one) =>
          readBatch(encodeBatch([one], "id", NUMBER, CONSTANTS)),
        );
        expect(together).to.deep.equal({
          keys: each.flatMap(({ keys }) => keys),
          read: each.flatMap(({ read }) => read),
        });
      }),
    );
  });

  it("writes the largest fence in full", () => {
    const encoded = encodeBatch(
      [operation("seal", "me", { fence: 2 ** 53 - 1 })],
      "",
      NUMBER,
      CONSTANTS,
    );
    expect(String(encoded.at(-1))).to.equal("9007199254740991");
  });
});

describe("decodeReply", () => {
  const acquire = operation("acquire", "me", { fence: 55 });
  const release = operation("release", "me", { fence: 55 });
  const one = (answer: unknown, asked = acquire) => {
    const reply = decodeReply([NUMBER, answer], [asked]);
    return reply.kind === "votes" ? reply.votes[0] : undefined;
  };

  for (const { title, answer, vote } of [
    { title: "a grant with the proposal", answer: 0, vote: { kind: "granted", fence: 55 } },
    {
      title: "a grant with another fence",
      answer: "1700000000000000",
      vote: { kind: "granted", fence: 1_700_000_000_000_000 },
    },
    {
      title: "a holder with a label",
      answer: "held 400   host 17",
      vote: {
        kind: "refused",
        reason: "held",
        remainingMs: 400,
        label: "host 17",
        holder: undefined,
        signs: "",
      },
    },
    {
      title: "a holder without a sign",
      answer: "held 400 x9_Kq2  host 17",
      vote: {
        kind: "refused",
        reason: "held",
        remainingMs: 400,
        label: "host 17",
        holder: "x9_Kq2",
        signs: "",
      },
    },
    {
      title: "a holder without",
      answer: "held 400 x9_Kq2 900~x9_Kq2@1700 ",
      vote: {
        kind: "refused",
        reason: "held",
        remainingMs: 400,
        label: undefined,
        holder: "x9_Kq2",
        signs: "900~x9_Kq2@1700",
      },
    },
    {
      title: "a permit of another",
      answer: "taken 400 b3 yyyyyy 900~x9_Kq2@1700;40~yyyyyy@~1800",
      vote: {
        kind: "refused",
        reason: "held",
        remainingMs: 400,
        label: undefined,
        takenPermits: "b3",
        holder: "yyyyyy",
        signs: "900~x9_Kq2@1700;40~yyyyyy@~1800",
      },
    },
    {
      title: "a free key",
      answer: "free",
      vote: { kind: "refused", reason: "free", remainingMs: 0, label: undefined },
    },
    {
      title: "somebody's data",
      answer: "foreign 1 list",
      vote: { kind: "refused", reason: "foreign", remainingMs: 0, label: "list" },
    },
    {
      title: "a name that readers have",
      answer: "shared 400 900~x9_Kq2@1700",
      vote: {
        kind: "refused",
        reason: "held",
        remainingMs: 400,
        label: undefined,
        isShared: true,
        signs: "900~x9_Kq2@1700",
      },
    },
    {
      title: "a lock that was ended",
      answer: "ended",
      vote: { kind: "refused", reason: "ended", remainingMs: 0, label: undefined },
    },
    {
      title: "a grant to one who waits",
      answer: "granted 77 1 0",
      vote: { kind: "granted", fence: 77, isHandedOver: true, isWaitedFor: false },
    },
  ]) {
    it(`reads ${title}`, () => {
      expect(one(answer)).to.deep.equal(vote);
    });
  }

  it("reads a number as that of the call, and as a grant of each", () => {
    expect(decodeReply(NUMBER, [acquire, release])).to.deep.equal({
      kind: "votes",
      number: NUMBER,
      votes: [
        { kind: "granted", fence: 55 },
        { kind: "granted", fence: 0 },
      ],
      isSameIncarnation: true,
    });
  });

  for (const reply of [
    ...[String(NUMBER), null, undefined, "OK", []],
    ...[
      [NUMBER],
      [NUMBER, 0],
      [NUMBER, 0, 0, 0],
      [String(NUMBER), 0, 0],
      [null, 0, 0],
      [[NUMBER], 0, 0],
    ],
  ]) {
    it(`reads no number and no vote in ${JSON.stringify(reply)}`, () => {
      expect(decodeReply(reply, [acquire, release])).to.deep.equal({
        kind: "votes",
        number: undefined,
        votes: [],
        isSameIncarnation: true,
      });
    });
  }

  it("names the key of a set that holds somebody's data", () => {
    const keys = severalLock([keysOf("lock:", "a"), keysOf("lock:", "b")]);
    const asked = operation("acquire", "me", { keys });
    const vote = { kind: "refused", reason: "foreign", remainingMs: 0 };
    const text = "string without expiry";
    expect(one(`foreign 2 ${text}`, asked)).to.deep.equal({ ...vote, label: text, key: "lock:b" });
    expect(one(`foreign 1 ${text}`, asked)).to.deep.equal({ ...vote, label: text });
  });

  it("reads for how long each name of a refresh is blocked, whatever stands in its key", () => {
    const names = ["a", "b", "c", "d"].map((name) => keysOf("lock:", name));
    const waiter = { inbox: "i", ticket: 1, turnMs: 20 };
    const refresh = operation("refresh", "i", { places: names.map((keys) => ({ keys, waiter })) });
    const answer = "places 1700000000123 250,0,,60000 9~x9_Kq2@1700,,a b c,ÿ.";
    const vote = one(answer, refresh);
    if (vote?.kind !== "granted" || vote.looks === undefined) return expect.fail("no looks");
    const { nowMs, blockedMs, signs } = vote.looks;
    expect([nowMs, [...blockedMs]]).to.deep.equal([
      1_700_000_000_123,
      [250, 0, Number.POSITIVE_INFINITY, 60_000],
    ]);
    expect(signs.split(",")).to.deep.equal(["9~x9_Kq2@1700", "", "a b c", "ÿ."]);
  });

  it("gives no fence where none was asked for", () => {
    const plain = operation("acquire", "me", { fence: undefined });
    for (const asked of [release, plain]) {
      expect(one(0, asked)).to.deep.equal({ kind: "granted", fence: 0 });
    }
  });

  it("reads a node that forgot as a fault without effect", () => {
    expect(one("forgot")).to.include({ kind: "fault", fault: "quarantined", sent: false });
  });

  it("reads an error as a fault that may have had an effect", () => {
    expect(one("error OOM")).to.include({ fault: "server", sent: true, message: "OOM" });
  });

  it("reads a server that may not write any more as an error of the whole batch", () => {
    const reply = decodeReply([NUMBER, 0, "error READONLY You can't write"], [acquire, acquire]);
    expect(reply).to.include({ kind: "error", isExecuted: "unknown" });
  });

  it("takes an answer it does not know for a fault, never for a grant", () => {
    for (const answer of [
      1,
      7,
      -1,
      "",
      "G",
      "heldx 1 ",
      "FREE",
      "1x",
      " 1",
      "-1",
      null,
      undefined,
      [1],
    ]) {
      expect(one(answer), String(answer)).to.include({ fault: "server", sent: true });
    }
  });

  it("keeps the order of the operations", () => {
    const reply = decodeReply([NUMBER, "7", "free", 0], [acquire, release, acquire]);
    expect(reply).to.have.property("votes").that.has.length(3);
    expect(reply).to.have.nested.property("votes[0].fence", 7);
    expect(reply).to.have.nested.property("votes[1].reason", "free");
    expect(reply).to.have.nested.property("votes[2].fence", 55);
  });

  it("tells whether the incarnation was the sender's", () => {
    const number = NUMBER;
    for (const isSameIncarnation of [true, false]) {
      const head = isSameIncarnation ? number : -number;
      expect(decodeReply([head, "free"], [release])).to.include({ number, isSameIncarnation });
    }
  });
});
