import type { Fault, Scenario, Session } from "../sim/scenario.js";
import { play, playQuorate, type Match, type Played } from "../site/playground/world/play.js";
import { stage, use } from "../site/playground/world/scenario.js";
import { SCENES } from "../site/playground/world/scenes.js";
import { DEFAULTS } from "../src/options/table.js";

/** Runs of the simulator that pictures are drawn from: its lock managers and its script are those that ship. */

/** With the default options, on a network of some 20 ms one way, and nothing but the faults given. */
function scenario(given: {
  readonly workload: readonly Session[];
  readonly faults: readonly Fault[];
  readonly lengthMs: number;
  readonly clientCount?: number;
  readonly options?: Partial<Scenario["options"]>;
}): Scenario {
  const { ttlMs, maxTtlMs, driftFactor, clockStepMs } = DEFAULTS;
  const nodeTimeoutMs = ttlMs / 20;
  const options = { ttlMs, maxTtlMs, nodeTimeoutMs, driftFactor, clockStepMs, ...given.options };
  const staged = stage({ ...given, profile: "network", options });
  return { ...staged, network: { ...staged.network, minDelayUs: 20_000, meanDelayUs: 5_000 } };
}

/** All that a client sends to those nodes, or is sent by them, is lost. */
function cutOff(client: number, atMs: number, nodes: readonly number[] = [0, 1, 2]): Fault[] {
  return nodes.map((node): Fault => {
    return { kind: "partition", atMs, client, node, way: "both", forMs: 60_000 };
  });
}

/**
 * A lock that is acquired, renewed, lost because its holder is cut off, and taken over by a client that waits, on two
 * of the nodes: it does not reach the first.
 */
export function lifeOfALock(): Promise<Played> {
  return playQuorate(
    scenario({
      lengthMs: 25_000,
      workload: [
        use({ atMs: 2_000, client: 0, holdMs: 60_000, writeCount: 0 }),
        use({ atMs: 5_500, client: 1, waitMs: 60_000, holdMs: 60_000, writeCount: 0 }),
      ],
      faults: [...cutOff(0, 10_000), ...cutOff(1, 16_000, [0])],
    }),
  );
}

/** A lock that is renewed while one of its three nodes is gone. */
export function lockWithoutANode(): Promise<Played> {
  const name = "invoice:42";
  return playQuorate(
    scenario({
      lengthMs: 8_000,
      workload: [use({ atMs: 2_000, client: 0, name, holdMs: 60_000, writeCount: 0 })],
      faults: [{ kind: "crash", mode: "amnesia", atMs: 4_000, node: 2, forMs: 60_000 }],
    }),
  );
}

/** A node that restarts without its data, while a lock is held. */
export function lossOfData(): Promise<Played> {
  return playQuorate(
    scenario({
      lengthMs: 97_000,
      workload: [use({ atMs: 2_000, client: 0, holdMs: 120_000, writeCount: 0 })],
      faults: [{ kind: "crash", mode: "amnesia", atMs: 20_000, node: 2, forMs: 6_000 }],
    }),
  );
}

/** A lock that one client hands over, and another adopts. */
export function handOver(): Promise<Played> {
  return playQuorate(
    scenario({
      lengthMs: 6_000,
      workload: [
        use({
          ...{ atMs: 2_000, client: 0, holdMs: 1_000, writeCount: 0 },
          adopters: [{ client: 1, afterMs: 300 }],
        }),
      ],
      faults: [],
    }),
  );
}

/** A holder that is paused between its check and its write, and wakes up after the next one has written. */
export function lateWrite(): Promise<Played> {
  return playQuorate(
    scenario({
      lengthMs: 26_000,
      options: { checkToWriteMs: 400 },
      workload: [
        use({ atMs: 2_000, client: 0, holdMs: 2_000 }),
        use({ atMs: 5_500, client: 1, waitMs: 60_000, holdMs: 2_000 }),
      ],
      faults: [{ kind: "pause", atMs: 3_400, client: 0, forMs: 19_000 }],
    }),
  );
}

/** Three candidates: the first leader is killed, the second resigns. */
export function election(): Promise<Played> {
  const campaign = { writeCount: 0, termCount: 1 };
  return playQuorate(
    scenario({
      clientCount: 3,
      lengthMs: 38_000,
      workload: [
        use({ ...campaign, atMs: 2_000, client: 0, holdMs: 60_000 }),
        use({ ...campaign, atMs: 6_000, client: 1, holdMs: 7_000 }),
        use({ ...campaign, atMs: 6_000, client: 2, holdMs: 7_000 }),
      ],
      faults: [{ kind: "kill", atMs: 12_000, client: 0, forMs: 60_000 }],
    }),
  );
}

/** The scene that the playground opens on, with a naive Redlock and with Quorate. */
export function clockJump(): Promise<Match> {
  const scene = SCENES.find(({ id }) => id === "clock-jump");
  if (scene === undefined) throw new Error("the playground has no such scene");
  return play(scene.scenario);
}
