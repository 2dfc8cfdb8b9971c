import { expect } from "chai";
import * as fc from "fast-check";
import { keysOf, RECORD_KEY } from "../../src/protocol/keys.js";
import type { Operation, OperationKind } from "../../src/protocol/operation.js";
import { decodeReply, encodeBatch } from "../../src/redis/batch-codec.js";
import { operation } from "../support/channel-bench.js";

const CONSTANTS = { fenceSlackUs: 15_000_000, fenceRetentionMs: 86_400_000 };

describe("encodeBatch", () => {
  it("puts the keys in front, then the constants, then four arguments an operation", () => {
    const operations = [
      operation("acquire", "me", { keys: keysOf("lock:", "a"), ttlMs: 1_000, fence: 77 }),
      operation("release", "you", { keys: keysOf("lock:", "b"), ttlMs: 2_000, fence: 88 }),
    ];
    expect(encodeBatch(operations, "record", CONSTANTS)).to.deep.equal([
      "5",
      RECORD_KEY,
      "lock:a",
      "quorate:fence:{lock:a}",
      "lock:b",
      "quorate:fence:{lock:b}",
      "record",
      "15000000",
      "86400000",
      ...["A", "me", "1000", "77"],
      ...["R", "you", "2000", "88"],
    ]);
  });

  it("has a code of its own for every kind of operation", () => {
    const kinds: OperationKind[] = ["acquire", "seal", "extend", "heal", "release"];
    const codes = kinds.map((kind) => encodeBatch([operation(kind, "me")], "", CONSTANTS)[7]);
    expect(codes).to.deep.equal(["A", "S", "E", "H", "R"]);
  });

  it("touches no fence key without fencing", () => {
    const plain = operation("acquire", "me", { keys: keysOf("lock:", "a"), fence: undefined });
    const encoded = encodeBatch([plain], "", CONSTANTS);
    expect(encoded.slice(1, 4)).to.deep.equal([RECORD_KEY, "lock:a", "lock:a"]);
    expect(encoded.at(-1)).to.equal("");
  });

  it("keeps the places that the script reads, for any number of operations", () => {
    const kind = fc.constantFrom<OperationKind>("acquire", "seal", "extend", "heal", "release");
    const one = fc
      .record({
        kind,
        ownerId: fc.string(),
        ttlMs: fc.nat(),
        fence: fc.option(fc.nat(), { nil: undefined }),
      })
      .map(({ kind: k, ownerId, ...over }): Operation => operation(k, ownerId, over));
    fc.assert(
      fc.property(fc.array(one, { maxLength: 20 }), (operations) => {
        const [keyCount, ...rest] = encodeBatch(operations, "id", CONSTANTS);
        expect(keyCount).to.equal(String(2 * operations.length + 1));
        const argv = rest.slice(Number(keyCount));
        expect(argv).to.have.length(3 + 4 * operations.length);
        operations.forEach(({ ownerId, ttlMs, fence }, index) => {
          // In Lua, from 1: ARGV[4n .. 4n+3].
          const from = 4 * (index + 1) - 1;
          expect(argv.slice(from + 1, from + 4)).to.deep.equal([
            ownerId,
            String(ttlMs),
            String(fence ?? ""),
          ]);
        });
      }),
    );
  });

  it("writes the largest fence in full", () => {
    const encoded = encodeBatch([operation("seal", "me", { fence: 2 ** 53 - 1 })], "", CONSTANTS);
    expect(String(encoded.at(-1))).to.equal("9007199254740991");
  });
});

describe("decodeReply", () => {
  const one = (status: unknown, detail: unknown) => {
    const reply = decodeReply([1, status, detail], 1);
    return reply.kind === "votes" ? reply.votes[0] : undefined;
  };

  for (const { title, status, detail, vote } of [
    { title: "a grant", status: 1, detail: 77, vote: { kind: "granted", fence: 77 } },
    {
      title: "a grant whose fence came as text",
      status: 1,
      detail: "1700000000000000",
      vote: { kind: "granted", fence: 1_700_000_000_000_000 },
    },
    {
      title: "a holder with a label",
      status: 2,
      detail: "400:host:17",
      vote: { kind: "refused", reason: "held", remainingMs: 400, label: "host:17" },
    },
    {
      title: "a holder without",
      status: 2,
      detail: "400:",
      vote: { kind: "refused", reason: "held", remainingMs: 400, label: undefined },
    },
    {
      title: "a free key",
      status: 3,
      detail: "",
      vote: { kind: "refused", reason: "free", remainingMs: 0, label: undefined },
    },
    {
      title: "somebody's data",
      status: 4,
      detail: "list",
      vote: { kind: "refused", reason: "foreign", remainingMs: 0, label: "list" },
    },
  ]) {
    it(`reads ${title}`, () => {
      expect(one(status, detail)).to.deep.equal(vote);
    });
  }

  it("reads a node that forgot as a fault without effect", () => {
    expect(one(5, "")).to.include({ kind: "fault", fault: "quarantined", sent: false });
  });

  it("reads an error as a fault that may have had an effect", () => {
    expect(one(6, "OOM")).to.include({ fault: "server", sent: true, message: "OOM" });
  });

  it("takes an answer it does not know for a fault, never for a grant", () => {
    for (const status of [0, 7, -1, "1", null, undefined, [1]]) {
      expect(one(status, 5), String(status)).to.include({ fault: "server", sent: true });
    }
  });

  it("keeps the order of the operations", () => {
    const reply = decodeReply([1, 1, 7, 3, "", 1, 9], 3);
    expect(reply).to.have.property("votes").that.has.length(3);
    expect(reply).to.have.nested.property("votes[0].fence", 7);
    expect(reply).to.have.nested.property("votes[1].reason", "free");
    expect(reply).to.have.nested.property("votes[2].fence", 9);
  });

  it("tells whether the incarnation was the sender's", () => {
    expect(decodeReply([1], 0)).to.include({ isSameIncarnation: true });
    expect(decodeReply([0], 0)).to.include({ isSameIncarnation: false });
  });

  it("answers every operation, also of a reply that is too short", () => {
    const reply = decodeReply([1, 1, 7], 2);
    expect(reply).to.have.nested.property("votes[0].kind", "granted");
    expect(reply).to.have.nested.property("votes[1].kind", "fault");
  });
});
