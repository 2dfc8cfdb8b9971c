import { expect } from "chai";
import * as fc from "fast-check";
import { keysOf, RECORD_KEY } from "../../src/protocol/keys.js";
import type { Operation, OperationKind } from "../../src/protocol/operation.js";
import { decodeReply, encodeBatch } from "../../src/redis/batch-codec.js";
import { operation } from "../support/channel-bench.js";

const CONSTANTS = { fenceSlackUs: 15_000_000, fenceRetentionMs: 86_400_000 };

describe("encodeBatch", () => {
  it("puts the keys in front, then the constants, then the operations in groups of one kind and ttl", () => {
    const operations = [
      operation("acquire", "me", { keys: keysOf("lock:", "a"), ttlMs: 1_000, fence: 77 }),
      operation("release", "you", { keys: keysOf("lock:", "b"), ttlMs: 2_000, fence: 88 }),
      operation("release", "him", { keys: keysOf("lock:", "c"), ttlMs: 2_000, fence: 99 }),
      operation("release", "her", { keys: keysOf("lock:", "d"), ttlMs: 3_000, fence: 11 }),
    ];
    expect(encodeBatch(operations, "record", CONSTANTS)).to.deep.equal([
      "9",
      RECORD_KEY,
      "lock:a",
      "quorate:fence:{lock:a}",
      "lock:b",
      "quorate:fence:{lock:b}",
      "lock:c",
      "quorate:fence:{lock:c}",
      "lock:d",
      "quorate:fence:{lock:d}",
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
        const argv = rest.slice(Number(keyCount) + 3);
        const read: unknown[] = [];
        while (argv.length > 0) {
          const [code, ttlMs, size] = argv.splice(0, 3);
          for (let n = 0; n < Number(size); n++) read.push([code, ttlMs, ...argv.splice(0, 2)]);
        }
        const codes = { acquire: "A", seal: "S", extend: "E", heal: "H", release: "R" };
        expect(read).to.deep.equal(
          operations.map((o) => [codes[o.kind], String(o.ttlMs), o.ownerId, String(o.fence ?? "")]),
        );
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
