import * as fc from "fast-check";
import type { Fault, LockSettings, Scenario, Session } from "../../../sim/scenario.js";
import { MAX_FENCE } from "../../../src/protocol/fencing.js";
import { FENCE_BUCKETS } from "../../../src/protocol/keys.js";

/**
 * Scenarios inside the model, as data that fast-check can shrink: fewer faults, sessions and nodes,
 * shorter times. Decisions are made by name, so what is left of a scenario goes on as it did.
 */

const CHAOS_MS = 2_000;
const CLIENT_COUNT = 3;

const instant = fc.nat(CHAOS_MS - 1);
const duration = fc.integer({ min: 1, max: 1_500 });
const client = fc.nat(CLIENT_COUNT - 1);

function faultOf(nodeCount: number): fc.Arbitrary<Fault> {
  const node = fc.nat(nodeCount - 1);
  const way = fc.constantFrom("toNode" as const, "toClient" as const, "both" as const);
  const at = { atMs: instant, forMs: duration };
  return fc.oneof(
    fc.record({ kind: fc.constant("freeze" as const), node, ...at }),
    fc.record({
      kind: fc.constantFrom("partition" as const, "hold" as const),
      client,
      node,
      way,
      ...at,
    }),
    fc.record({
      kind: fc.constant("nodeLies" as const),
      fence: fc.constantFrom(MAX_FENCE - 1, MAX_FENCE),
      node,
      ...at,
    }),
    fc.record({ kind: fc.constant("reset" as const), client, node, atMs: instant }),
    fc.record({
      kind: fc.constant("mixup" as const),
      how: fc.constantFrom(...(["early", "lost", "swapped", "doubled", "another's"] as const)),
      perMille: fc.constantFrom(100, 1_000),
      count: fc.integer({ min: 1, max: 3 }),
      client,
      node,
      ...at,
    }),
    fc.record({ kind: fc.constantFrom("pause" as const, "suspend" as const), client, ...at }),
    fc.record({ kind: fc.constant("kill" as const), client, ...at }),
    fc.record({
      kind: fc.constant("crash" as const),
      mode: fc.constant("persisted" as const),
      node,
      ...at,
    }),
    // Only one node ever forgets, so that never all of them do within one longest lease.
    fc.record({
      kind: fc.constant("crash" as const),
      mode: fc.constantFrom("amnesia" as const, "snapshot" as const),
      lostMs: duration,
      node: fc.constant(0),
      ...at,
    }),
  );
}

const session: fc.Arbitrary<Session> = fc.record({
  atMs: instant,
  client,
  name: fc.constant("a"),
  mode: fc.constantFrom(undefined, undefined, "shared" as const),
  waitMs: fc.constantFrom(0, 300, 1_500),
  holdMs: fc.integer({ min: 1, max: 600 }),
  writeCount: fc.nat(2),
  extendCount: fc.nat(1),
  release: fc.constantFrom("once" as const, "twice" as const, "late" as const),
});

const options: fc.Arbitrary<LockSettings> = fc.record({
  ttlMs: fc.constantFrom(200, 500),
  maxTtlMs: fc.constant(500),
  nodeTimeoutMs: fc.constantFrom(50, 100),
  driftFactor: fc.constant(0.01),
  maxHoldMs: fc.constant(null),
  renew: fc.boolean(),
  quarantine: fc.constant(true),
  bootstrap: fc.boolean(),
  fenceBuckets: fc.constantFrom(1, 2, FENCE_BUCKETS),
  minDelayMs: fc.constant(10),
  maxDelayMs: fc.constant(100),
  checkToWriteMs: fc.constant(0),
});

const size = (length: number) => ({ minLength: length, maxLength: length });

const ratePpm = fc.constantFrom(-5_000, 0, 5_000);

/** @param nodeCounts of which at least two nodes each, as one of them may forget */
export function scenario(...nodeCounts: number[]): fc.Arbitrary<Scenario> {
  return fc.constantFrom(...nodeCounts).chain((nodeCount) =>
    fc.record({
      seed: fc.nat(),
      profile: fc.constant("shrinkable"),
      nodeCount: fc.constant(nodeCount),
      options,
      network: fc.record({
        kind: fc.constant("ordered" as const),
        minDelayUs: fc.constant(100),
        meanDelayUs: fc.constantFrom(500, 10_000),
        tailPerMille: fc.constantFrom(0, 20),
        tailFactor: fc.constant(20),
        dropPerMille: fc.constantFrom(0, 20),
        duplicatePerMille: fc.constant(0),
        zombiePerMille: fc.constantFrom(0, 300),
      }),
      nodes: fc.array(
        fc.record({ wallOffsetMs: fc.constant(0), ratePpm, isDurable: fc.constant(false) }),
        size(nodeCount),
      ),
      clients: fc.array(
        ratePpm.map((ppm) => {
          return { wallOffsetMs: 0, steadyPpm: ppm, wallPpm: ppm, startMs: 0 };
        }),
        size(CLIENT_COUNT),
      ),
      workload: fc.array(session, { minLength: 1, maxLength: 8 }),
      faults: fc.array(faultOf(nodeCount), { maxLength: 6 }),
      chaosMs: fc.constant(CHAOS_MS),
      ending: fc.constantFrom("all" as const, "core" as const),
      core: fc.constant(Array.from({ length: Math.floor(nodeCount / 2) + 1 }, (_, node) => node)),
      distancesUs: fc.array(
        fc.array(fc.constantFrom(0, 5_000), size(nodeCount)),
        size(CLIENT_COUNT),
      ),
    }),
  );
}
