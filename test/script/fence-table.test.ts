import { expect } from "chai";
import * as fc from "fast-check";
import { bytesOf } from "../../src/memory/bytes.js";
import { MemoryRedis } from "../../src/memory/memory-redis.js";
import { plainReply } from "../../src/memory/reply.js";
import { FENCE_STEP } from "../../src/protocol/fencing.js";
import { RECORD_KEY, WAITING_KEY, queueKeyOf } from "../../src/protocol/keys.js";
import { keysOf } from "../../src/kinds/exclusive.js";
import type { Operation, Vote } from "../../src/protocol/operation.js";
import { decodeReply } from "../../src/script/batch-decoder.js";
import { encodeBatch } from "../../src/script/batch-encoder.js";
import { BATCH_SCRIPT } from "../../src/script/batch-script.js";
import { withFewerBuckets } from "../../src/script/fence-buckets.js";
import { operation } from "../support/channel-bench.js";

const NOW_US = 1_700_000_000_000_000;
const SLACK_US = 1_000_000;

/** A node whose clock stands still, with as few buckets as that. */
class Node {
  readonly #redis = new MemoryRedis({ nowUs: () => NOW_US });
  readonly #buckets: number;

  constructor(buckets: number) {
    this.#buckets = buckets;
  }

  run(...argv: string[]): unknown {
    return plainReply(this.#redis.execute(argv.map(bytesOf)));
  }

  batch(operations: readonly Operation[]): readonly Vote[] {
    const sent = operations.map((each) => withFewerBuckets(each, this.#buckets));
    const encoded = encodeBatch(sent, "", 1, { fenceSlackUs: SLACK_US });
    const reply = decodeReply(this.run("EVAL", BATCH_SCRIPT, ...encoded), operations);
    if (reply.kind !== "votes") throw new Error(`no votes: ${JSON.stringify(reply)}`);
    return reply.votes;
  }

  /** By bucket, and the top. */
  fences(): ReadonlyMap<string, number> {
    const fields = this.run("HGETALL", RECORD_KEY) as string[];
    const fences = new Map<string, number>();
    for (let at = 0; at < fields.length; at += 2) {
      fences.set(fields[at] ?? "", Number(fields[at + 1]));
    }
    return fences;
  }
}

const NAMES = ["a", "b", "c"].map((name) => keysOf("lock:", name));

interface Asked {
  readonly kind: "acquire" | "seal" | "heal" | "release";
  readonly name: number;
  readonly owner: number;
  readonly fenceUs: number;
  readonly isWaiting: boolean;
}

const asked = fc.record<Asked>({
  // Half of all are acquires: of the others most find nothing of theirs.
  kind: fc.constantFrom("acquire", "acquire", "acquire", "release", "release", "seal", "heal"),
  name: fc.nat(2),
  owner: fc.nat(1),
  // Proposals and tokens are about as large as fences, so that each is above some and below others.
  fenceUs: fc.oneof(
    fc.integer({ min: NOW_US - 10, max: NOW_US + 10 }),
    fc.constantFrom(0, NOW_US - 2 * SLACK_US, NOW_US + 2 * SLACK_US),
  ),
  isWaiting: fc.boolean(),
});

/** As in one turn of the event loop: the acquires propose the same. */
const batchOf = fc
  .tuple(asked, fc.array(asked, { maxLength: 5 }))
  .map(([first, more]) =>
    [first, ...more].map((each) =>
      each.kind === "acquire" ? { ...each, fenceUs: first.fenceUs } : each,
    ),
  );

function operationOf({ kind, name, owner, fenceUs, isWaiting }: Asked): Operation {
  const waiter = isWaiting ? { inbox: "p", ticket: 1, turnMs: 20 } : undefined;
  const canWait = kind === "acquire" || kind === "release";
  return operation(kind, `owner ${owner}`, {
    keys: NAMES[name] as Operation["keys"],
    fence: fenceUs,
    waiter: canWait ? waiter : undefined,
  });
}

for (const buckets of [1, 2, 65_536]) {
  describe(`a table of ${buckets} fences, for three names`, () => {
    it("gives each name fences that grow, and none above the top, whatever is asked", () => {
      fc.assert(
        fc.property(fc.array(batchOf), (batches) => {
          const node = new Node(buckets);
          const last = NAMES.map(() => 0);
          let before = node.fences();
          for (const batch of batches) {
            const votes = node.batch(batch.map(operationOf));
            for (const [index, { kind, name }] of batch.entries()) {
              const vote = votes[index];
              if (kind !== "acquire" || vote?.kind !== "granted") continue;
              expect(vote.fence, `of ${name}`).to.be.above(last[name] ?? 0);
              last[name] = vote.fence;
            }
            const fences = node.fences();
            const top = fences.get("top") ?? 0;
            for (const [bucket, fence] of fences) {
              expect(fence, bucket).to.be.at.most(top);
              expect(fence, bucket).to.be.at.least(before.get(bucket) ?? 0);
            }
            before = fences;
          }
        }),
        { numRuns: 300 },
      );
    });

    it("gives names of one batch the proposal that they share, and not twice to one name", () => {
      const node = new Node(buckets);
      const [a, b] = NAMES as [Operation["keys"], Operation["keys"]];
      const acquire = (keys: Operation["keys"], fence: number): Operation =>
        operation("acquire", "me", { keys, fence });
      const fencesOf = (...operations: Operation[]): unknown =>
        node.batch(operations).map((vote) => vote.kind === "granted" && vote.fence);
      expect(fencesOf(acquire(a, NOW_US), acquire(b, NOW_US))).to.deep.equal([NOW_US, NOW_US]);
      node.run("DEL", a.lockKey);
      expect(fencesOf(acquire(a, NOW_US))).to.deep.equal([NOW_US + FENCE_STEP]);
    });
  });
}

describe("a fence that is no number", () => {
  it("is an error of its own name, or is replaced by a proposal above the top", () => {
    const [a, b] = NAMES as [Operation["keys"], Operation["keys"]];
    for (const top of [NOW_US + 5, NOW_US - 5]) {
      const node = new Node(65_536);
      node.run("HSET", RECORD_KEY, a.fenceBucket, "data", "top", String(top));
      const [first, second] = node.batch(
        [a, b].map((keys) => operation("acquire", "me", { keys, fence: NOW_US })),
      );
      expect(second?.kind).to.equal("granted");
      if (top > NOW_US) expect(first).to.include({ kind: "fault", fault: "server" });
      else expect(first).to.include({ kind: "granted", fence: NOW_US });
      // What could not be granted is not kept.
      expect(node.run("EXISTS", a.lockKey)).to.equal(top > NOW_US ? 0 : 1);
    }
  });
});

describe("whether anybody waits for any name", () => {
  const waiter = { inbox: "p", ticket: 1, turnMs: 20 };
  const part = fc.constantFrom("a", "b", "{", "}", ":", "é", "{t}");
  const anyName = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(""));

  it("is told before anybody stands in a queue, which the script finds where the client does", () => {
    fc.assert(
      fc.property(anyName, (name) => {
        const node = new Node(65_536);
        const keys = keysOf("lock:", name);
        node.batch([operation("acquire", "holder", { keys })]);
        expect(node.run("EXISTS", WAITING_KEY)).to.equal(0);
        node.batch([operation("acquire", "waiter", { keys, waiter })]);
        expect(node.run("EXISTS", WAITING_KEY, queueKeyOf(keys))).to.equal(2);
        // Nobody listens: the place is taken out.
        node.batch([operation("release", "holder", { keys })]);
        expect(node.run("EXISTS", queueKeyOf(keys))).to.equal(0);
      }),
    );
  });

  it("lasts as long as the queue", () => {
    const node = new Node(65_536);
    const [keys] = NAMES as [Operation["keys"]];
    node.batch([operation("acquire", "holder", { keys })]);
    node.batch([operation("acquire", "waiter", { keys, waiter })]);
    const [told, queue] = [WAITING_KEY, queueKeyOf(keys)].map((key) =>
      Number(node.run("PTTL", key)),
    );
    expect(told).to.be.at.least(queue ?? Number.NaN);
  });
});
