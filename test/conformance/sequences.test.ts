import * as fc from "fast-check";
import { MAX_FENCE } from "../../src/protocol/fencing.js";
import { PLACE_MS } from "../../src/protocol/node-queue.js";
import { NAMES, SLACK_US } from "../support/conformance/node-under-test.js";
import type { Inbox, Name, OperationSpec, Owner } from "../support/conformance/node-under-test.js";
import { expectSame, type Step } from "../support/conformance/steps.js";
import { conformance } from "../support/conformance/suite.js";

const TTLS_MS = [1, 2, 5, 40, 1_000];

const about = {
  name: fc.constantFrom<Name>("a", "a", "b", "tagged"),
  owner: fc.constantFrom<Owner>("x", "y", "z", "kx", "ky"),
  ttlMs: fc.constantFrom(...TTLS_MS),
};

/** Near the clock, near its clamps, and far off. */
const fromNowUs = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc
    .constantFrom(SLACK_US, -SLACK_US)
    .chain((edge) => fc.integer({ min: edge - 2, max: edge + 2 })),
  fc.constantFrom(-60_000_000, 60_000_000),
);

const waiter = {
  inbox: fc.constantFrom<Inbox>("p", "p", "q", "deaf"),
  ticket: fc.integer({ min: 1, max: 3 }),
};

/** Of those who wait: in and out of the queue, and taking turns. */
const waiting: fc.Arbitrary<OperationSpec> = fc.oneof(
  fc.record({
    kind: fc.constantFrom(
      "acquire" as const,
      "acquire" as const,
      "release" as const,
      "heal" as const,
    ),
    ...about,
    ...waiter,
    fromNowUs,
  }),
  fc.record({
    kind: fc.constantFrom("acquire" as const, "release" as const, "leave" as const),
    ...about,
    ...waiter,
  }),
);

const refresh: fc.Arbitrary<OperationSpec> = fc.record({
  kind: fc.constant("refresh" as const),
  inbox: waiter.inbox,
  places: fc.array(
    fc.oneof(
      fc.record({ name: about.name, ticket: waiter.ticket }),
      fc.record({
        name: fc.constant("aShared" as const),
        ticket: waiter.ticket,
        placePrefix: fc.constant("r" as const),
      }),
      fc.record({
        name: fc.constant("aPermits" as const),
        ticket: waiter.ticket,
        placePrefix: fc.constant("s" as const),
      }),
    ),
    { minLength: 1, maxLength: 4 },
  ),
});

const handOver: fc.Arbitrary<OperationSpec> = fc.record({
  kind: fc.constant("acquire" as const),
  ...about,
  ...waiter,
  fromNowUs: fc.option(fromNowUs, { nil: undefined }),
  previous: fc.constantFrom<Owner>("x", "y", "z"),
});

const acquire: fc.Arbitrary<OperationSpec> = fc.oneof(
  fc.record({ kind: fc.constant("acquire" as const), ...about, fromNowUs }),
  fc.record({ kind: fc.constant("acquire" as const), ...about }),
);

const seal: fc.Arbitrary<OperationSpec> = fc.record({
  kind: fc.constant("seal" as const),
  ...about,
  fromNowUs,
});

const other: fc.Arbitrary<OperationSpec> = fc.oneof(
  fc.record({
    kind: fc.constantFrom("heal" as const, "release" as const, "extend" as const),
    ...about,
  }),
  fc.record({ kind: fc.constantFrom("heal" as const, "release" as const), ...about, fromNowUs }),
);

const expire: fc.Arbitrary<OperationSpec> = fc.record({
  kind: fc.constant("expire" as const),
  name: about.name,
  signs: fc.array(fc.record({ of: fc.constantFrom<Owner>("kx", "ky"), inMs: about.ttlMs }), {
    minLength: 1,
    maxLength: 3,
  }),
});

const keeping: fc.Arbitrary<OperationSpec> = fc.record({
  kind: fc.constant("release" as const),
  ...about,
  keepMs: fc.constantFrom(...TTLS_MS),
  fromNowUs: fc.option(fromNowUs, { nil: undefined }),
});

/** One kind and ttl, as the script takes them together: releases of locks, and of what is none. */
const alike: fc.Arbitrary<OperationSpec[]> = fc
  .record({
    kind: fc.constantFrom("acquire" as const, "release" as const, "release" as const),
    ttlMs: fc.constantFrom(40, 1_000),
  })
  .chain((same) =>
    fc.array(
      fc
        .record({
          name: about.name,
          owner: fc.constantFrom<Owner>("x", "x", "y", "kx", "kx"),
          fromNowUs: fc.constantFrom(undefined, 0, 1, -1_000),
          keepMs: fc.constantFrom(undefined, undefined, 5, 40),
        })
        .map(({ fromNowUs: fence, keepMs, ...each }) => ({
          ...same,
          ...each,
          ...(fence !== undefined && { fromNowUs: fence }),
          ...(same.kind === "release" && keepMs !== undefined && { keepMs }),
        })),
      { minLength: 2, maxLength: 6 },
    ),
  );

const recordId = fc.constantFrom("", "", "id-1", "id-2");

const keyNames = fc.constantFrom<Name>("a", "b");

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant("batch" as const),
      recordId,
      of: fc.oneof(
        fc.array(fc.oneof(acquire, waiting, refresh, handOver, seal, other, keeping, expire), {
          minLength: 1,
          maxLength: 5,
        }),
        fc.array(alike, { minLength: 1, maxLength: 3 }).map((groups) => groups.flat()),
      ),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("advance" as const),
      byMs: fc.oneof(fc.constantFrom(...TTLS_MS, 3, 41), fc.constantFrom(PLACE_MS, 59_000, 60_000)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("handshake" as const),
      request: fc.record({
        newId: fc.constantFrom("id-1", "id-2"),
        hadRecord: fc.boolean(),
        isDurable: fc.boolean(),
        maxTtlMs: fc.constantFrom(9, 10, 100),
        openId: fc.constantFrom(undefined, "id-1", "id-2"),
      }),
    }),
  },
  {
    weight: 1,
    arbitrary: keyNames.chain((name) =>
      fc.oneof(
        fc.constant<Step>({ do: "put", key: NAMES[name].lockKey, text: "data" }),
        fc.record({
          do: fc.constant("put" as const),
          key: fc.constant(NAMES[name].lockKey),
          text: fc.constant("another client's"),
          ttlMs: fc.constantFrom(...TTLS_MS),
        }),
        fc.record({
          do: fc.constant("putFence" as const),
          bucket: fc.constant(NAMES[name].fenceBucket),
          text: fc.integer({ min: MAX_FENCE - 2, max: MAX_FENCE }).map(String),
        }),
      ),
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom<Step>({ do: "forget" }, { do: "age" }) },
);

conformance("any sequence on a real server and in memory", (redis) => {
  it("has the same answers and leaves the same keys", async function () {
    this.timeout(60_000);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
        await expectSame(redis(), steps);
      }),
      { numRuns: 400, interruptAfterTimeLimit: 8_000, markInterruptAsFailure: false },
    );
  });
});
