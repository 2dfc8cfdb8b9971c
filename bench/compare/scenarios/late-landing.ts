import { setTimeout as sleep } from "node:timers/promises";
import { settleWithin } from "../observe/settle.js";
import { LOCK_NAME, Stage } from "../observe/stage.js";
import { span } from "../observe/words.js";
import { attemptFacts, attemptWords, grantOf } from "./attempt-words.js";
import type { Scenario } from "./scenario.js";

const NODE_COUNT = 3;
const HELD_UP_MS = 7_000;

/** The commands of an attempt reach the nodes after the caller may have given up on it. */
export const lateLanding: Scenario = {
  id: "late-landing",
  title: "An attempt that arrives late",
  setUp: `The network delays everything sent to the 3 nodes for ${HELD_UP_MS / 1_000} s, then delivers it. One attempt is made meanwhile. If it is granted, it is released immediately. Then the keys are observed.`,
  good: "no key remains without an owner: it would lock everyone out for a ttl",
  note: "A library without a timeout is still waiting when the network recovers, and has nothing to clean up.",
  ttlMs: 10_000,
  isClientSensitive: true,
  limitMs: (ttlMs) => HELD_UP_MS + 1.5 * ttlMs + 5_000,
  run: async (subject, ttlMs, options) => {
    const stage = await Stage.open(subject, options, NODE_COUNT, { links: true });
    const observer = stage.observe();
    for (const { link } of stage.nodes) link.hold("toServer");
    let ownedUntilMs = 0;
    const attempted = settleWithin(async () => {
      try {
        return await stage.client.tryAcquire(LOCK_NAME, ttlMs);
      } finally {
        ownedUntilMs = performance.now();
      }
    }, HELD_UP_MS + 3_000);
    const startMs = performance.now();
    await sleep(HELD_UP_MS);
    observer.watch(10);
    const healedMs = performance.now();
    await Promise.all(stage.nodes.map(({ link }) => link.heal()));
    const attempt = await attempted;
    const grant = grantOf(attempt);
    if (grant !== undefined) {
      await grant.release();
      ownedUntilMs = performance.now();
    }
    await sleep(ttlMs * 1.2 - (performance.now() - healedMs));
    observer.stop();
    const withKey = observer.samples.filter(({ values }) => values.some((value) => value !== null));
    const orphaned = withKey.filter(({ atMs }) => atMs > ownedUntilMs);
    const nodeCount = Math.max(
      0,
      ...orphaned.map(({ values }) => values.filter((value) => value !== null).length),
    );
    const first = Math.max(orphaned[0]?.atMs ?? 0, ownedUntilMs);
    const orphanedMs = orphaned.length === 0 ? 0 : (orphaned.at(-1)?.atMs ?? 0) - first;
    const gaveUp = attempt.kind !== "pending" && ownedUntilMs < healedMs && grant === undefined;
    const facts = {
      ...attemptFacts(attempt),
      gaveUpBeforeLanding: gaveUp,
      orphanedMs,
      orphanedNodes: nodeCount,
      healedAfterMs: healedMs - startMs,
    };
    const stay =
      orphaned.length < 3
        ? "no key remains"
        : `keys without an owner remain on ${nodeCount} nodes for ${span(orphanedMs)}`;
    return { cell: `${attemptWords(attempt)}; ${stay}`, facts };
  },
};
