import { expect } from "chai";
import * as fc from "fast-check";
import { MemoryNode } from "../support/conformance/memory-node.js";
import { operationOf, withoutWords, type Name } from "../support/conformance/node-under-test.js";
import type { Inbox, OperationSpec, Owner } from "../support/conformance/node-under-test.js";
import { conformance } from "../support/conformance/suite.js";

type Step = readonly OperationSpec[] | { readonly byMs: number } | { readonly isOut: boolean };

const NAMES: readonly Name[] = [
  ...(["a", "b", "aShared", "aJob", "aHashJob", "ab", "aStamp", "a0", "a1"] as const),
];

const about = {
  name: fc.constantFrom("a", ...NAMES),
  owner: fc.constantFrom<Owner>("x", "x", "y"),
  ttlMs: fc.constantFrom(5, 40, 1_000),
  fromNowUs: fc.constantFrom(0, 1, 2_000),
};

const operation: fc.Arbitrary<OperationSpec> = fc.oneof(
  fc.record({ kind: fc.constantFrom(...(["acquire", "seal", "extend"] as const)), ...about }),
  fc.record({
    kind: fc.constant("acquire"),
    ...about,
    name: fc.constant("a"),
    preempts: fc.constant(true),
  }),
  fc.record(
    {
      kind: fc.constantFrom(...(["acquire", "heal", "release"] as const)),
      ...about,
      inbox: fc.constantFrom<Inbox>("p", "q", "deaf"),
      ticket: fc.integer({ min: 1, max: 3 }),
    },
    { requiredKeys: ["kind", "name", "owner", "ttlMs"] },
  ),
);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.array(operation, { minLength: 1, maxLength: 4 }) },
  { weight: 3, arbitrary: fc.boolean().map((isOut) => ({ isOut }) as const) },
  { weight: 1, arbitrary: fc.constantFrom(4, 5, 41).map((byMs) => ({ byMs })) },
);

conformance("a server that is out of memory, and one in memory", (redis) => {
  afterEach(async () => {
    await redis().client.config("SET", "maxmemory", "0");
  });

  it("refuse the same and leave the same keys, whatever is asked", async function () {
    this.timeout(60_000);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 20 }), async (steps) => {
        const server = redis();
        await server.client.config("SET", "maxmemory", "0");
        await server.forget();
        const memory = new MemoryNode(server.nowUs, [
          server.version[0] ?? 0,
          server.version[1] ?? 0,
        ]);
        for (const each of steps) {
          if ("isOut" in each) {
            await server.client.config("SET", "maxmemory", each.isOut ? "1" : "0");
            memory.redis.isOutOfMemory = each.isOut;
          } else if ("byMs" in each) {
            await server.advance(each.byMs);
            await memory.advance(each.byMs);
          } else {
            const operations = each.map((spec) => operationOf(spec, server.nowUs));
            const onServer = withoutWords(await server.batch(operations, ""));
            expect(withoutWords(await memory.batch(operations, ""))).to.deep.equal(onServer);
            expect(await memory.state()).to.deep.equal(await server.state());
          }
        }
      }),
      { numRuns: 500, interruptAfterTimeLimit: 12_000, markInterruptAsFailure: false },
    );
  });
});
