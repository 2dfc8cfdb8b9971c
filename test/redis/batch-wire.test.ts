import { expect } from "chai";
import * as fc from "fast-check";
import { RECORD_KEY } from "../../src/protocol/keys.js";
import type { Operation, OperationKind } from "../../src/protocol/operation.js";
import type { Place } from "../../src/protocol/place.js";
import { encodeBatch } from "../../src/script/batch-codec.js";
import { BATCH_SCRIPT, BATCH_SHA } from "../../src/script/batch-script.js";
import { BatchWire } from "../../src/redis/batch-wire.js";
import { operation } from "../support/channel-bench.js";
import { wordsIn } from "../support/words-in.js";
import { keysOf } from "../../src/kinds/exclusive.js";
import { permitLock } from "../../src/kinds/permit.js";

const CONSTANTS = { fenceSlackUs: 15_000_000 };

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
const recordId = fc.oneof(fc.constantFrom("", "id1-of-seed-1-________"), text);
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

const anyOperation = fc.oneof({ weight: 4, arbitrary: onOneName }, refresh);

describe("BatchWire", () => {
  it("makes the bytes of a reference encoder, whatever is in names, labels and record ids", () => {
    const script = fc.constantFrom(
      ["eval", BATCH_SCRIPT] as const,
      ["evalsha", BATCH_SHA] as const,
    );
    const batches = fc.array(
      fc.tuple(fc.array(anyOperation, { maxLength: 4 }), recordId, number, script),
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
        fc.array(anyOperation, { maxLength: 8 }),
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
});
