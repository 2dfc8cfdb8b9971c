import { expect } from "chai";
import * as fc from "fast-check";
import { keysOf, RECORD_KEY } from "../../src/protocol/keys.js";
import type { Operation, OperationKind, Waiter } from "../../src/protocol/operation.js";
import { decodeReply, encodeBatch } from "../../src/redis/batch-codec.js";
import { operation } from "../support/channel-bench.js";

const CONSTANTS = { fenceSlackUs: 15_000_000, fenceRetentionMs: 86_400_000 };

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

/** As the script reads it: keys, and the ttl and the arguments of every operation. */
function readBatch([keyCount, ...rest]: string[]): {
  keys: string[];
  codes: string[];
  read: string[][];
} {
  const keys = rest.splice(0, Number(keyCount));
  const argv = rest.slice(3);
  const [codes, read]: [string[], string[][]] = [[], []];
  while (argv.length > 0) {
    const [code = "", ttlMs = "", size] = argv.splice(0, 3);
    codes.push(code);
    for (let n = 0; n < Number(size); n++) {
      const count = code === "E" ? 1 : "WBTL".includes(code) ? 5 : 2;
      read.push([ttlMs, ...argv.splice(0, count)]);
    }
  }
  return { keys, codes, read };
}

function codesIn(encoded: string[]): string[] {
  return readBatch(encoded).codes;
}

describe("encodeBatch", () => {
  it("puts the keys in front, then the constants, then the operations in groups of one kind and ttl", () => {
    const operations = [
      operation("acquire", "me", { keys: keysOf("lock:", "a"), ttlMs: 1_000, fence: 77 }),
      operation("release", "you", { keys: keysOf("lock:", "b"), ttlMs: 2_000, fence: 88 }),
      operation("release", "him", { keys: keysOf("lock:", "c"), ttlMs: 2_000, fence: 99 }),
      operation("release", "her", { keys: keysOf("lock:", "d"), ttlMs: 3_000, fence: 11 }),
    ];
    expect(encodeBatch(operations, "record", CONSTANTS)).to.deep.equal([
      "12",
      RECORD_KEY,
      "lock:a",
      "quorate:fence:{lock:a}",
      "lock:b",
      "quorate:fence:{lock:b}",
      "quorate:queue:{lock:b}",
      "lock:c",
      "quorate:fence:{lock:c}",
      "quorate:queue:{lock:c}",
      "lock:d",
      "quorate:fence:{lock:d}",
      "quorate:queue:{lock:d}",
      "record",
      "15000000",
      "86400000",
      ...["A", "1000", "1", "me", "77"],
      ...["R", "2000", "2", "you", "88", "him", "99"],
      ...["R", "3000", "1", "her", "11"],
    ]);
  });

  it("has a code of its own for every kind of operation", () => {
    const kinds: OperationKind[] = ["acquire", "seal", "extend", "heal", "release"];
    const codes = kinds.map((kind) => codesIn(encodeBatch([operation(kind, "me")], "", CONSTANTS)));
    expect(codes.flat()).to.deep.equal(["A", "S", "E", "H", "R"]);
    const looks: OperationKind[] = ["inspect", "revoke"];
    const others = looks.map((kind) =>
      codesIn(encodeBatch([operation(kind, "me")], "", CONSTANTS)),
    );
    expect(others.flat()).to.deep.equal(["I", "V"]);
    const waiting: OperationKind[] = ["acquire", "release", "heal", "leave"];
    const more = waiting.map((kind) =>
      codesIn(encodeBatch([operation(kind, "me", { waiter: WAITER })], "", CONSTANTS)),
    );
    expect(more.flat()).to.deep.equal(["W", "B", "T", "L"]);
  });

  it("touches no fence key without fencing", () => {
    const plain = operation("release", "me", { keys: keysOf("lock:", "a"), fence: undefined });
    const encoded = encodeBatch([plain], "", CONSTANTS);
    expect(encoded.slice(1, 4)).to.deep.equal([RECORD_KEY, "lock:a", "lock:a"]);
    expect(encoded.at(-1)).to.equal("");
  });

  it("names who waits behind the fence, and the queue behind the fence key", () => {
    const waiting = operation("acquire", "me", { keys: keysOf("", "a"), waiter: WAITER, fence: 7 });
    expect(encodeBatch([waiting], "", CONSTANTS)).to.deep.equal([
      ...["4", RECORD_KEY, "a", "quorate:fence:{a}", "quorate:queue:{a}"],
      ...["", "15000000", "86400000", "W", "1000", "1"],
      ...["me", "7", "inbox", "5", "20"],
    ]);
  });

  it("keeps the places that the script reads, for any number of operations", () => {
    fc.assert(
      fc.property(fc.array(anyOperation, { maxLength: 20 }), (operations) => {
        const encoded = encodeBatch(operations, "id", CONSTANTS);
        const { keys, read } = readBatch(encoded);
        expect(read).to.deep.equal(
          operations.map(({ kind, ttlMs, ownerId, fence, waiter }) => [
            String(ttlMs),
            ownerId,
            ...(kind === "extend" ? [] : [String(fence ?? "")]),
            ...(waiter ? [waiter.inbox, String(waiter.ticket), String(waiter.turnMs)] : []),
          ]),
        );
        const hasQueue = ({ kind, waiter }: Operation) =>
          kind === "release" || waiter !== undefined;
        // By its fence key a node finds out whether the lock has been ended.
        const hasFence = ({ kind, fence }: Operation) =>
          kind === "heal" || kind === "acquire" || fence !== undefined;
        expect(keys).to.deep.equal([
          RECORD_KEY,
          ...operations.flatMap((each) => [
            each.keys.lockKey,
            ...(each.kind === "extend"
              ? []
              : [hasFence(each) ? each.keys.fenceKey : each.keys.lockKey]),
            ...(hasQueue(each) ? [each.keys.queueKey] : []),
          ]),
        ]);
      }),
    );
  });

  it("writes the largest fence in full", () => {
    const encoded = encodeBatch([operation("seal", "me", { fence: 2 ** 53 - 1 })], "", CONSTANTS);
    expect(String(encoded.at(-1))).to.equal("9007199254740991");
  });
});

describe("decodeReply", () => {
  const acquire = operation("acquire", "me", { fence: 55 });
  const release = operation("release", "me", { fence: 55 });
  const one = (answer: unknown, asked = acquire) => {
    const reply = decodeReply([1, answer], [asked]);
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
      answer: "H400:host:17",
      vote: { kind: "refused", reason: "held", remainingMs: 400, label: "host:17" },
    },
    {
      title: "a holder without",
      answer: "H400:",
      vote: { kind: "refused", reason: "held", remainingMs: 400, label: undefined },
    },
    {
      title: "a permit of another",
      answer: "P400:b3",
      vote: {
        kind: "refused",
        reason: "held",
        remainingMs: 400,
        label: undefined,
        takenSlots: "b3",
      },
    },
    {
      title: "a free key",
      answer: "F",
      vote: { kind: "refused", reason: "free", remainingMs: 0, label: undefined },
    },
    {
      title: "somebody's data",
      answer: "Tlist",
      vote: { kind: "refused", reason: "foreign", remainingMs: 0, label: "list" },
    },
  ]) {
    it(`reads ${title}`, () => {
      expect(one(answer)).to.deep.equal(vote);
    });
  }

  it("reads the number of operations as a grant of each, and no other number", () => {
    expect(decodeReply(2, [acquire, release])).to.deep.equal({
      kind: "votes",
      votes: [
        { kind: "granted", fence: 55 },
        { kind: "granted", fence: 0 },
      ],
      isSameIncarnation: true,
    });
    for (const reply of [0, 1, 3, -2, "2", null, undefined]) {
      const decoded = decodeReply(reply, [acquire, release]);
      const votes = decoded.kind === "votes" ? decoded.votes : [];
      expect(
        votes.map(({ kind }) => kind),
        String(reply),
      ).to.deep.equal(["fault", "fault"]);
    }
  });

  it("gives no fence where none was asked for", () => {
    const plain = operation("acquire", "me", { fence: undefined });
    for (const asked of [release, plain]) {
      expect(one(0, asked)).to.deep.equal({ kind: "granted", fence: 0 });
    }
  });

  it("reads a node that forgot as a fault without effect", () => {
    expect(one("Q")).to.include({ kind: "fault", fault: "quarantined", sent: false });
  });

  it("reads an error as a fault that may have had an effect", () => {
    expect(one("EOOM")).to.include({ fault: "server", sent: true, message: "OOM" });
  });

  it("reads a server that may not write any more as an error of the whole batch", () => {
    const reply = decodeReply([1, 0, "EREADONLY You can't write"], [acquire, acquire]);
    expect(reply).to.include({ kind: "error", isExecuted: "unknown" });
  });

  it("takes an answer it does not know for a fault, never for a grant", () => {
    for (const answer of [1, 7, -1, "", "G", "1x", " 1", "-1", null, undefined, [1]]) {
      expect(one(answer), String(answer)).to.include({ fault: "server", sent: true });
    }
  });

  it("keeps the order of the operations", () => {
    const reply = decodeReply([1, "7", "F", 0], [acquire, release, acquire]);
    expect(reply).to.have.property("votes").that.has.length(3);
    expect(reply).to.have.nested.property("votes[0].fence", 7);
    expect(reply).to.have.nested.property("votes[1].reason", "free");
    expect(reply).to.have.nested.property("votes[2].fence", 55);
  });

  it("tells whether the incarnation was the sender's", () => {
    expect(decodeReply([1], [])).to.include({ isSameIncarnation: true });
    expect(decodeReply([0], [])).to.include({ isSameIncarnation: false });
  });

  it("answers every operation, also of a reply that is too short", () => {
    const reply = decodeReply([1, 0], [acquire, acquire]);
    expect(reply).to.have.nested.property("votes[0].kind", "granted");
    expect(reply).to.have.nested.property("votes[1].kind", "fault");
  });
});
