import { expect } from "chai";
import * as fc from "fast-check";
import { fenceBucketOf, RECORD_KEY } from "../../src/protocol/keys.js";
import type { Operation, OperationKind } from "../../src/protocol/operation.js";
import type { Place, Waiter } from "../../src/protocol/node-queue.js";
import { BatchWire, encodeBatch } from "../../src/script/batch-encoder.js";
import { BATCH_SCRIPT, BATCH_SHA } from "../../src/script/batch-script.js";
import { operation } from "../support/channel-bench.js";
import { wordsIn } from "../support/words-in.js";
import { keysOf } from "../../src/kinds/exclusive.js";
import { sharedLock } from "../../src/kinds/shared.js";
import { severalLock } from "../../src/kinds/several.js";
import { ownedLock } from "../../src/kinds/owned.js";
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

interface ReadBatch {
  readonly keys: string[][];
  readonly read: string[][];
  /** Of the groups. */
  readonly sizes: number[];
}

/** As the script reads it: of every operation its keys; and step, kind, ttl, a proposal of its group, and its arguments. */
function readBatch([count, ...rest]: string[]): ReadBatch {
  const [record = "", ...keys] = rest.splice(0, Number(count));
  expect(record).to.equal(RECORD_KEY);
  const argv = rest.slice(3);
  const [keysOfEach, read]: [string[][], string[][]] = [[], []];
  const sizes: number[] = [];
  while (argv.length > 0) {
    const [size, step = "", kind = "", ttlMs = "", keyCount, argumentCount, proposal] = argv.splice(
      0,
      7,
    );
    sizes.push(Number(size));
    const ofGroup = proposal === "" ? [] : [`proposal ${proposal}`];
    for (let n = 0; n < Number(size); n++) {
      keysOfEach.push(keys.splice(0, Number(keyCount)));
      read.push([step, kind, ttlMs, ...ofGroup, ...argv.splice(0, Number(argumentCount))]);
    }
  }
  expect(keys, "keys that are nobody's").to.deep.equal([]);
  return { keys: keysOfEach, read, sizes };
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
      ...["1", "acquire", "exclusive", "1000", "1", "2", "77", "me", A],
      ...["2", "release", "exclusive", "2000", "1", "3", "", "you", B, "88", "him", C, "99"],
      ...["1", "release", "exclusive", "3000", "1", "3", "", "her", D, "11"],
    ]);
  });

  it("puts acquires with different proposals into different groups", () => {
    const acquires = [7, 7, 8].map((fence) => operation("acquire", "me", { fence }));
    expect(readBatch(encodeBatch(acquires, "", NUMBER, CONSTANTS)).sizes).to.deep.equal([2, 1]);
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
      title: "an acquire that asks how many wait",
      kind: "acquire",
      over: { countsWaiters: true },
      step: "count",
      keys: KEYS,
      args: ["proposal 7", ...OWN],
    },
    {
      title: "an acquire that takes the name from whoever holds it",
      kind: "acquire",
      over: { preempts: true },
      of: "stolen",
      keys: KEYS,
      args: [...OWN, "7", "", "0", "0", "", ""],
    },
    { kind: "revoke", keys: KEYS, args: OWN },
    ...(["acquire", "heal", "release", "leave"] as const).map((kind) => ({
      title: `a ${kind} of one who waits`,
      kind,
      over: { waiter: WAITER },
      keys: KEYS,
      args: [...OWN, "7", "inbox", "5", "20", "", ""],
    })),
    {
      title: "an acquire that is left with its place",
      kind: "release",
      over: {
        waiter: { ...WAITER, deferred: { ownerId: "next one", ttlMs: 3_000, maxAgeMs: 100 } },
      },
      keys: KEYS,
      args: [...OWN, "7", "inbox", "5", "20", "", "100 3000 next one"],
    },
    {
      title: "a release that proposes a fence for whoever gets the name",
      kind: "release",
      over: { proposal: 8 },
      keys: KEYS,
      args: ["proposal 8", ...OWN, "7"],
    },
    {
      title: "a hand-over, whose previous owner stands behind",
      kind: "acquire",
      over: { waiter: WAITER, previousId: "you" },
      keys: KEYS,
      args: [...OWN, "7", "inbox", "5", "20", "", "", "you"],
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
      args: [...OWN, "7", "", "0", "0", "5000", ""],
    })),
    {
      title: "another kind of lock, with keys and arguments of its own behind",
      kind: "extend",
      over: { keys: permitLock(AT_A, 3, 1, [2]) },
      of: "permit",
      keys: KEYS,
      args: [...OWN, "7", "", "0", "0", "", "", "3", "2"],
    },
    {
      title: "another kind of lock of one who waits",
      kind: "acquire",
      over: { keys: sharedLock(AT_A), waiter: { ...WAITER, placePrefix: "r" } },
      of: "shared",
      keys: KEYS,
      args: [...OWN, "7", "inbox", "5", "r20", "", ""],
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
          { keys: permitLock(AT_A, 4), waiter: { ...WAITER, placePrefix: "s3," } },
        ],
      },
      keys: [...KEYS, "lock:a", "lock:q", "lock:é", "{t}}", "lock:a", "lock:a"],
      args: [
        ...[...OWN, "7", "", "0", "0", "", "", "3"],
        ...["4", "1700000000000005,12,-3,5", "20"],
        ...["1", "5", "s20"],
        ...["1", "5", "s3,20"],
      ],
    },
  ] satisfies readonly ShapeRow[] as readonly ShapeRow[]) {
    it(`sends by name what is due: ${title ?? `a plain ${kind}`}`, () => {
      const asked = operation(kind, "me", { keys: AT_A, fence: 7, ttlMs: 1_000, ...over });
      const sent = readBatch(encodeBatch([asked], "", NUMBER, CONSTANTS));
      const read = [[step, of, "1000", ...args]];
      expect(sent).to.deep.equal({ keys: [keys], read, sizes: [1] });
    });
  }

  it("makes a group of what is alike, and no group of what is not", () => {
    const at = (name: string) => keysOf("lock:", name);
    const groups = [
      ["a", "b"].map((name) => operation("extend", "me", { keys: sharedLock(at(name)) })),
      ["a", "b"].map((name) =>
        operation("extend", "me", { keys: permitLock(at(name), 3, 1, [1]) }),
      ),
      [operation("extend", "me", { keys: severalLock([at("a"), at("b")]) })],
      [operation("extend", "me", { keys: severalLock([at("a"), at("b"), at("c")]) })],
      [operation("extend", "me"), operation("extend", "you")],
      [operation("acquire", "me")],
      [
        operation("acquire", "me", { waiter: WAITER }),
        operation("acquire", "you", { waiter: WAITER }),
      ],
      [operation("acquire", "me", { waiter: WAITER, previousId: "you" })],
    ];
    const { sizes } = readBatch(encodeBatch(groups.flat(), "", NUMBER, CONSTANTS));
    expect(sizes).to.deep.equal(groups.map((group) => group.length));
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
        const { keys, read } = readBatch(encodeBatch(operations, "id", NUMBER, CONSTANTS));
        const each = operations.map((one) =>
          readBatch(encodeBatch([one], "id", NUMBER, CONSTANTS)),
        );
        expect(keys).to.deep.equal(each.flatMap((one) => one.keys));
        expect(read).to.deep.equal(each.flatMap((one) => one.read));
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

/** The reference: every argument by itself, its length counted in the bytes that are sent. */
function reference(args: readonly string[]): Buffer {
  const parts = args.flatMap((arg) => {
    const bytes = Buffer.from(arg, "utf8");
    return [Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from("\r\n")];
  });
  return Buffer.concat([Buffer.from(`*${args.length}\r\n`), ...parts]);
}

const kind = fc.constantFrom<OperationKind>("acquire", "seal", "extend", "heal", "release");
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom("ä", "\u007f", "\u0080", "ÿ", "锁", "🔒", "\r\n", "$3\r\n", "\ud83d"),
);
/** What a record's id can be: ours, none to compare, or what somebody else wrote there. */
const recordId = fc.oneof(fc.constantFrom("", "id1-1-of-seed-________"), text);
const refresh = fc
  .record({
    ownerId: text,
    places: fc.array(
      fc.record({ name: text, ticket: fc.nat(), permits: fc.constantFrom(0, 0, 3) }),
      { minLength: 1, maxLength: 4 },
    ),
  })
  .map(({ ownerId, places }): Operation => {
    const all = places.map(({ name, ticket, permits }): Place => {
      const keys = keysOf("lock:", name);
      return {
        keys: permits === 0 ? keys : permitLock(keys, permits),
        waiter: { inbox: ownerId, ticket, turnMs: 20, placePrefix: permits > 0 ? "s" : "" },
      };
    });
    // As it is asked for: on the lock of the first.
    const keys = (all[0] as Place).keys;
    return operation("refresh", ownerId, { keys, ttlMs: 0, fence: undefined, places: all });
  });
const onOneName = fc
  .record({
    kind,
    name: text,
    ownerId: text,
    ttlMs: fc.nat({ max: 2 }),
    fence: fc.option(fc.nat(), { nil: undefined }),
    waiter: fc.option(
      fc.record({ inbox: fc.constantFrom("a", "bc"), ticket: fc.nat(), turnMs: fc.nat() }),
      { nil: undefined },
    ),
  })
  .map(({ kind: k, name, ownerId, waiter, ...over }): Operation => {
    const canWait = k === "acquire" || k === "release";
    const keys = keysOf("lock:", name);
    return operation(k, ownerId, { ...over, keys, waiter: canWait ? waiter : undefined });
  });

/** Of a call. */
const number = fc.oneof(
  fc.integer({ min: 1, max: 2 ** 48 }),
  fc.constantFrom(1, 999, 1_000, 1_001, 999_999, 1_000_000, 1_000_099, 2e14, 2e14 - 1),
);

const anyOnWire = fc.oneof({ weight: 4, arbitrary: onOneName }, refresh);

describe("BatchWire", () => {
  it("makes the bytes of a reference encoder, whatever is in names, labels and record ids", () => {
    const script = fc.constantFrom(
      ["eval", BATCH_SCRIPT] as const,
      ["evalsha", BATCH_SHA] as const,
    );
    const batches = fc.array(
      fc.tuple(fc.array(anyOnWire, { maxLength: 4 }), recordId, number, script),
      {
        minLength: 1,
        maxLength: 4,
      },
    );
    fc.assert(
      fc.property(batches, (all) => {
        const wire = new BatchWire(CONSTANTS);
        for (const [operations, id, first, [name, body]] of all) {
          // Twice: for the first node, and for the next.
          for (const number of [first, first + 1]) {
            const plain = encodeBatch(operations, id, number, CONSTANTS);
            const expected = reference([name, body, ...plain]);
            const bytes = Buffer.from(wire.encode(name, body, operations, id, number));
            expect(bytes.equals(expected), bytes.toString()).to.equal(true);
          }
        }
      }),
    );
  });

  for (const [title, ownerId, id] of [
    ["a name beyond ASCII beside a plain record id", "锁", "plain"],
    ["a record id beyond ASCII beside plain names", "plain", "ä锁🔒"],
    ["both", "ÿ", "ÿ"],
  ] as const) {
    const number = 281_474_976_710_656;
    it(`counts bytes, not characters, of ${title}`, () => {
      const operations = [operation("acquire", ownerId), operation("release", "other")];
      const bytes = new BatchWire(CONSTANTS).encode("evalsha", BATCH_SHA, operations, id, number);
      const plain = encodeBatch(operations, id, number, CONSTANTS);
      expect(Buffer.from(bytes)).to.deep.equal(reference(["evalsha", BATCH_SHA, ...plain]));
    });
  }

  const BEYOND = "锁ä🔒";
  const refreshOf = (names: readonly string[], inbox = "inbox"): Operation => {
    const waiter = { inbox, ticket: 1, turnMs: 20, placePrefix: "" } as const;
    const places = names.map((name): Place => ({ keys: keysOf("lock:", name), waiter }));
    const { keys } = places[0] as Place;
    return operation("refresh", inbox, { keys, ttlMs: 0, fence: undefined, places });
  };
  // From 4,096 characters on, a batch of ASCII alone is encoded in another way.
  for (const size of [1, 100, 500]) {
    const names = Array.from({ length: size }, (_, index) => `name ${index} of many`);
    for (const [where, operations, id = "id", recordKey] of [
      ["nowhere", [refreshOf(names)]],
      ["in the first name that is refreshed", [refreshOf([BEYOND, ...names])]],
      ["in the last name that is refreshed", [refreshOf([...names, BEYOND])]],
      ["in each name that is refreshed", [refreshOf(names.map((name) => name + BEYOND))]],
      ["in the inbox of a refresh", [refreshOf(names, BEYOND)]],
      [
        "in a name beside a refresh",
        [refreshOf(names), operation("acquire", "x", { keys: keysOf("lock:", BEYOND) })],
      ],
      ["in a record's id", [refreshOf(names)], BEYOND],
      ["in a record's key", [refreshOf(names)], "id", `quorate:${BEYOND}`],
    ] as const satisfies readonly (readonly [string, Operation[], string?, string?])[]) {
      it(`counts the bytes of a refresh of ${size} with text beyond ASCII ${where}`, () => {
        const wire = new BatchWire(CONSTANTS);
        const [count = "", , ...rest] = encodeBatch(operations, id, 7, CONSTANTS);
        const plain = [count, recordKey ?? RECORD_KEY, ...rest];
        // Twice: a place is encoded once.
        for (let times = 0; times < 2; times++) {
          const bytes = Buffer.from(wire.encode("evalsha", "sha", operations, id, 7, recordKey));
          expect(bytes.equals(reference(["evalsha", "sha", ...plain]))).to.equal(true);
        }
      });
    }
  }

  it("reads an operation once, however many nodes and batches it goes to", () => {
    let readCount = 0;
    const counted = (ownerId: string): Operation =>
      Object.defineProperty({ ...operation("acquire", ownerId) }, "ownerId", {
        get: () => {
          readCount++;
          return ownerId;
        },
      });
    const [a, b] = [counted("a"), counted("ä")];
    const nodes = [new BatchWire(CONSTANTS), new BatchWire(CONSTANTS)];
    const encoded = nodes.flatMap((wire) => [
      wire.encode("evalsha", "sha", [a, b], "r", 1),
      wire.encode("evalsha", "sha", [a, b], "r", 1),
    ]);
    expect(readCount, "a and b").to.equal(2);
    for (const bytes of encoded) expect(bytes).to.deep.equal(encoded[0]);
    nodes[0]?.encode("evalsha", "sha", [b], "r", 2);
    expect(readCount, "in another batch").to.equal(2);
  });

  it("says byte for byte what the plain arguments say, whatever is in them", () => {
    fc.assert(
      fc.property(
        fc.array(anyOnWire, { maxLength: 8 }),
        recordId,
        number,
        (operations, id, number) => {
          const bytes = new BatchWire(CONSTANTS).encode("evalsha", "sha", operations, id, number);
          const plain = encodeBatch(operations, id, number, CONSTANTS);
          // Half a surrogate pair has no bytes of its own.
          const onTheWire = plain.map((arg) => Buffer.from(arg).toString());
          expect(wordsIn(bytes)).to.deep.equal(["evalsha", "sha", ...onTheWire]);
        },
      ),
    );
  });

  it("keeps nothing of one batch in the next: same operations, others, another node's record", () => {
    const wire = new BatchWire(CONSTANTS);
    const [a, b] = [operation("acquire", "a"), operation("release", "b", { fence: undefined })];
    const batches: [Operation[], string, number][] = [
      [[a, b], "r1", 1],
      [[a, b], "r1", 20],
      [[a, b], "r2", 1],
      [[b, a], "r1", 300],
      [[a], "r1", 1],
      [[], "r1", 1],
      [[a, b], "", 1],
    ];
    for (const [operations, recordId, number] of batches) {
      expect(wordsIn(wire.encode("eval", "script", operations, recordId, number))).to.deep.equal([
        "eval",
        "script",
        ...encodeBatch(operations, recordId, number, CONSTANTS),
      ]);
    }
  });

  describe("for a node that may have a part of the keys of a lock", () => {
    const AT_A = keysOf("lock:", "a");
    const [FENCES, ABSENT] = ["quorate:fences:{1}", "quorate:absent:{1}"];

    const wordsOf = (operations: readonly Operation[]): readonly string[] =>
      wordsIn(new BatchWire(CONSTANTS).encode("evalsha", "sha", operations, "", 7, FENCES, ABSENT));
    const isDeclaredBy = (operations: readonly Operation[]): boolean => {
      const [count = "", , ...rest] = encodeBatch(operations, "", 7, CONSTANTS);
      const keys = [FENCES, ...rest.splice(0, Number(count) - 1)];
      const words = wordsOf(operations);
      const isDeclared = words.includes(ABSENT);
      if (isDeclared) keys.push(ABSENT);
      expect(words).to.deep.equal(["evalsha", "sha", String(keys.length), ...keys, ...rest]);
      return isDeclared;
    };

    const place: Place = { keys: AT_A, waiter: WAITER };
    const PLAIN = (["acquire", "extend", "release"] as const).map((kind) =>
      operation(kind, "me", { keys: AT_A }),
    );
    const OTHERS: readonly (readonly [string, Operation])[] = [
      ...(["seal", "heal", "revoke", "inspect", "watch", "expire"] as const).map(
        (kind) => [kind, operation(kind, "me", { keys: AT_A })] as const,
      ),
      ...(["acquire", "extend", "heal", "release", "seal"] as const).flatMap((kind) =>
        [
          sharedLock(AT_A),
          permitLock(AT_A, 3, 1, [2]),
          severalLock([AT_A, keysOf("lock:", "b")]),
          ownedLock(AT_A, "job"),
        ].map((keys) => [`${kind} of ${keys.id}`, operation(kind, "me", { keys })] as const),
      ),
      ["size", operation("size", "me", { keys: permitLock(AT_A, 3) })],
      ["refresh", operation("refresh", "me", { keys: AT_A, places: [place] })],
      ["steal", operation("acquire", "me", { keys: AT_A, preempts: true })],
      ["count", operation("acquire", "me", { keys: AT_A, countsWaiters: true })],
      ["close", operation("release", "me", { keys: AT_A, keepMs: 1 })],
      ...(["acquire", "heal", "release", "leave"] as const).map(
        (kind) =>
          [`${kind} of a waiter`, operation(kind, "me", { keys: AT_A, waiter: WAITER })] as const,
      ),
      ...(["extend", "heal", "release"] as const).map(
        (kind) =>
          [
            `${kind} of a longer extension`,
            operation(kind, "me", { keys: AT_A, keptMs: 9 }),
          ] as const,
      ),
      [
        "extend of one that proclaims",
        operation("extend", "me", { keys: AT_A, proclaimed: { number: 1, value: "v" } }),
      ],
    ];

    it("declares no more where all is plain", () => {
      for (const one of PLAIN) expect(isDeclaredBy([one]), one.kind).to.equal(false);
      expect(isDeclaredBy([...PLAIN, ...PLAIN])).to.equal(false);
    });

    for (const [what, one] of OTHERS) {
      it(`declares a key that it cannot have, behind all others: ${what}`, () => {
        expect(isDeclaredBy([one])).to.equal(true);
        expect(isDeclaredBy([...PLAIN, one])).to.equal(true);
        expect(isDeclaredBy([one, ...PLAIN])).to.equal(true);
      });
    }

    it("keeps nothing of it in the next call: of another slot, or to a node that has all keys", () => {
      const wire = new BatchWire(CONSTANTS);
      const operations = [operation("acquire", "me", { keys: sharedLock(AT_A) })];
      for (const absent of [ABSENT, ABSENT, "quorate:absent:{2}", undefined, ABSENT]) {
        const words = wordsIn(wire.encode("evalsha", "sha", operations, "", 7, FENCES, absent));
        const keys = words.slice(3, 3 + Number(words[2]));
        expect(keys).to.deep.equal([FENCES, "lock:a", ...(absent === undefined ? [] : [absent])]);
      }
    });
  });
});
