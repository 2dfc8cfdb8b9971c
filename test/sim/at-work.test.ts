import { expect } from "chai";
import * as fc from "fast-check";
import type { Operation } from "../../src/protocol/operation.js";
import type { KeyChange } from "../../sim/node-keys.js";
import { SimServer } from "../../sim/sim-server.js";
import {
  operationOf,
  type Inbox,
  type Name,
  type OperationSpec,
  type Owner,
} from "../support/conformance/node-under-test.js";

const NOW_US = 1_700_000_000_000_000;
const CONSTANTS = { fenceSlackUs: 2_500_000, fenceBuckets: 65_536 };
const NO_TROUBLE = { isOutOfMemory: false, spoiltNames: [] };

/** What a server did, by the places of the operations that did it. */
class Watched {
  readonly changes: KeyChange[] = [];
  readonly #server = new SimServer(
    () => NOW_US,
    (change) => this.changes.push(change),
  );

  run(operations: readonly Operation[]): unknown {
    return this.#server.batch(
      { number: 1, operations, recordId: "", withScript: true },
      CONSTANTS,
      NO_TROUBLE,
    );
  }

  /** By operation; extends of a group come before what else it does. */
  byOperation(operations: readonly Operation[]): unknown[] {
    return operations.map((operation) => this.changes.filter(({ by }) => by === operation));
  }
}

/** Below, at and above what acquires propose. */
const TOKENS = [NOW_US - 2_000, NOW_US, NOW_US + 2_000];

const about = {
  name: fc.constantFrom<Name>(
    ...(["a", "a", "a", "b", "tagged", "aShared", "aJob", "ab", "a0", "aStamp"] as const),
  ),
  owner: fc.constantFrom<Owner>("x", "x", "y", "z"),
  ttlMs: fc.constantFrom(1_000, 1_000, 2_000),
};

const operation: fc.Arbitrary<OperationSpec> = fc.oneof(
  fc.record({ kind: fc.constant("extend" as const), ...about }),
  // Never without a token: a fence that is none would let nobody in any more.
  fc.record({ kind: fc.constant("seal" as const), ...about, fence: fc.constantFrom(...TOKENS) }),
  fc.record(
    {
      kind: fc.constantFrom(...(["acquire", "acquire", "heal", "release", "release"] as const)),
      ...about,
      fromNowUs: fc.constantFrom(0, 1, 2_000),
      inbox: fc.constantFrom<Inbox>("p", "q"),
      ticket: fc.integer({ min: 1, max: 3 }),
    },
    { requiredKeys: ["kind", "name", "owner", "ttlMs"] },
  ),
);

describe("whose doing a change of a key is", () => {
  it("is the same for operations that come together and for each alone", () => {
    let togetherCount = 0;
    fc.assert(
      fc.property(
        fc.array(fc.array(operation, { minLength: 1, maxLength: 6 }), { maxLength: 8 }),
        (batches) => {
          const [together, alone] = [new Watched(), new Watched()];
          for (const specs of batches) {
            const operations = specs.map((spec) => operationOf(spec, NOW_US));
            together.run(operations);
            for (const each of operations) alone.run([each]);
            const changes = together.byOperation(operations);
            expect(changes).to.deep.equal(alone.byOperation(operations));
            if (operations.length > 1) togetherCount += changes.flat().length;
          }
          expect(together.changes).to.have.length(alone.changes.length);
        },
      ),
      { numRuns: 300 },
    );
    expect(togetherCount, "changes by one of several").to.be.above(150);
  });
});
