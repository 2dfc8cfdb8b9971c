import { expect } from "chai";
import * as fc from "fast-check";
import { exclusiveLock } from "../../src/kinds/exclusive.js";
import { ownedLock } from "../../src/kinds/owned.js";
import { permitLock } from "../../src/kinds/permit.js";
import { sharedLock } from "../../src/kinds/shared.js";
import { timestampLock } from "../../src/kinds/timestamp.js";
import { bytesOf } from "../../src/memory/bytes.js";
import { MemoryRedis } from "../../src/memory/memory-redis.js";
import { plainReply } from "../../src/memory/reply.js";
import { companionKey, nameKeys, type NameKeys } from "../../src/protocol/keys.js";
import type { LockKind } from "../../src/protocol/lock-kind.js";
import type { Operation } from "../../src/protocol/operation.js";
import { encodeBatch } from "../../src/script/batch-encoder.js";
import { BATCH_SCRIPT } from "../../src/script/batch-script.js";
import { operation } from "../support/channel-bench.js";

/** Strings in which braces are far more likely than elsewhere. */
const lockKey = fc
  .array(fc.oneof(fc.constantFrom("{", "}", "{}", "{a}", "lock:", "ä"), fc.string()), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => parts.join(""))
  .filter((text) => text !== "");

const acquireOf = (of: (keys: NameKeys) => LockKind) => (keys: NameKeys) => [
  operation("acquire", "me", { keys: of(keys), ttlMs: 1_000, fence: undefined }),
];

/** What a node does so that the key is there. */
const WRITERS: Readonly<Record<string, (keys: NameKeys) => readonly Operation[]>> = {
  readers: acquireOf(sharedLock),
  permits: acquireOf((keys) => permitLock(keys, 3, 1, [2])),
  holds: acquireOf((keys) => ownedLock(keys, "job")),
  stamp: acquireOf((keys) => timestampLock(keys, "timestamp")),
  queue: (plain) => {
    const keys = exclusiveLock(plain);
    const waiter = { inbox: "inbox", ticket: 5, turnMs: 20 };
    return [operation("refresh", "inbox", { keys, places: [{ keys, waiter }], fence: undefined })];
  },
};

describe("A key beside a lock key", () => {
  for (const [what, operationsOn] of Object.entries(WRITERS)) {
    it(`is for the script where it is for us: ${what}`, () => {
      fc.assert(
        fc.property(lockKey, (key) => {
          const redis = new MemoryRedis({ nowUs: () => 1_700_000_000_000_000 });
          const run = (...argv: string[]) => plainReply(redis.execute(argv.map(bytesOf)));
          const operations = operationsOn(nameKeys("", key));
          run("EVAL", BATCH_SCRIPT, ...encodeBatch(operations, "", 1, { fenceSlackUs: 1_000 }));
          expect(run("EXISTS", companionKey(what, key))).to.equal(1);
        }),
      );
    });
  }
});
