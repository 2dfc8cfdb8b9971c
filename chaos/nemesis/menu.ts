import type { Random } from "../../sim/random.js";
import { LARGEST_RATE_ERROR, linkedSeats, minorityOf, type CampaignSettings } from "../settings.js";
import type { Direction, Fault, FaultKind } from "./faults.js";

/** What is drawn for a fault; the plan adds when it happens. */
export type Drawn = Omit<Fault, "id" | "atMs">;

/** Longest time for which a clock is off in one direction, ms: what it gains must stay small. */
const LONGEST_RATE_MS = 40_000;

/** The rate at which chronyd slews a clock by default. */
const SLEW_RATE = 0.083_333;

/** Longest slew in one direction, ms. It gains less than the shortest reserve that steps leave of the margin. */
const LONGEST_SLEW_MS = 5_000;

/** The part of the margin that steps leave to slewing, rates, and delays in carrying all this out, ms. */
export const STEP_RESERVE_MS = 700;

const DIRECTIONS: readonly Direction[] = ["both", "both", "toServer", "toClient"];

/** Draws the duration, size and target of a fault of the kind. */
export function draw(kind: FaultKind, random: Random, settings: CampaignSettings): Drawn {
  const { nodeCount, clientCount, ttlMs } = settings;
  const nodes = someNodes(random, nodeCount, 1);
  const onNode = { kind, nodes, client: undefined, direction: "both", amount: 0 } as const;
  const onClient = {
    kind,
    nodes: [],
    client: random.below(clientCount),
    direction: "both",
    amount: 0,
  } as const;
  switch (kind) {
    case "kill":
    case "empty":
      return { ...onNode, forMs: random.between(20, 2_500) };
    case "flush":
    case "scriptFlush":
    case "reset":
      return { ...onNode, forMs: 0 };
    case "freeze":
      return { ...onNode, forMs: short(random, 2 * ttlMs) };
    case "blackhole":
    case "hold":
      return { ...onNode, direction: random.oneOf(DIRECTIONS), forMs: short(random, 2 * ttlMs) };
    case "late":
      return { ...onNode, amount: random.between(20, ttlMs), forMs: random.between(300, 2_500) };
    case "refuse":
      return { ...onNode, forMs: random.between(50, 2_500) };
    case "lostReply":
      return { ...onNode, amount: random.between(1, 6), forMs: 500 };
    case "mixup":
      return { ...onNode, amount: random.between(2, 20), forMs: random.between(300, 4_000) };
    case "delay":
      return { ...onNode, amount: random.between(5, 200), forMs: random.between(300, 4_000) };
    case "slow":
      return {
        ...onNode,
        amount: random.between(2_000, 40_000),
        forMs: random.between(300, 3_000),
      };
    case "clockRate":
      return { ...onNode, ...rateSpell(random, settings) };
    case "relay": {
      const struck = someNodes(random, nodeCount, minorityOf(nodeCount) + 1);
      return { ...onNode, nodes: struck, forMs: random.between(150, 600) };
    }
    case "majorityEmpty": {
      const struck = someNodes(random, nodeCount, nodeCount - minorityOf(nodeCount));
      return { ...onNode, nodes: struck, forMs: random.between(20, 500) };
    }
    case "clockSlew": {
      const amount = 1 + (random.chance(50) ? SLEW_RATE : -SLEW_RATE);
      return { ...onNode, amount, forMs: 2 * random.between(500, LONGEST_SLEW_MS) };
    }
    case "clockStep":
      return { ...onNode, ...stepSpell(random, settings) };
    case "clockJump": {
      // A quorum, because fewer cannot let a second holder in; by more than the margin allows for.
      const struck = someNodes(random, nodeCount, nodeCount - minorityOf(nodeCount));
      const amount = settings.clockStepMs + random.between(ttlMs / 2, 2 * ttlMs);
      return { ...onNode, nodes: struck, amount, forMs: 0 };
    }
    case "partition":
      return { ...onNode, ...partition(random, settings) };
    case "split":
      return { ...onNode, ...split(random, settings) };
    case "clientFreeze":
      return { ...onClient, forMs: short(random, 2 * ttlMs) };
    case "clientKill":
      return { ...onClient, forMs: random.between(50, 1_500) };
    case "lag":
      return { ...onClient, amount: random.between(5, 100), forMs: random.between(300, 4_000) };
    case "stopAfterCheck":
      return {
        ...onClient,
        forMs: random.between(Math.floor(1.1 * ttlMs), Math.floor(2.5 * ttlMs)),
      };
  }
}

/** Half of them shorter than a few round trips, the others up to `longestMs`. */
function short(random: Random, longestMs: number): number {
  return random.between(5, random.chance(50) ? 150 : longestMs);
}

/** Fast and then slow by the same amount (or the reverse), so that the clock ends where it should be. */
function rateSpell(random: Random, { durationMs }: CampaignSettings) {
  const longestMs = Math.min(LONGEST_RATE_MS, durationMs);
  const forMs = random.between(Math.floor(longestMs / 4), longestMs) * 2;
  // Slightly below the maximum: sums of binary fractions must not exceed it.
  const error = (random.between(50, 99) / 100) * LARGEST_RATE_ERROR;
  return { forMs, amount: 1 + (random.chance(50) ? error : -error) };
}

/** On a minority, or on a quorum up to all of them; forward, and later back. */
function stepSpell(random: Random, { nodeCount, ttlMs, clockStepMs }: CampaignSettings) {
  const minority = minorityOf(nodeCount);
  const isMinority = minority > 0 && random.chance(50);
  const count = isMinority
    ? random.between(1, minority)
    : random.between(nodeCount - minority, nodeCount);
  return {
    nodes: someNodes(random, nodeCount, count),
    amount: random.between(1, Math.max(1, clockStepMs - STEP_RESERVE_MS)),
    forMs: short(random, 2 * ttlMs),
  };
}

/** From a minority, which the client should not notice, or from so many nodes that it has no quorum. */
function partition(random: Random, { nodeCount, clientCount, ttlMs }: CampaignSettings) {
  const minority = minorityOf(nodeCount);
  const isMinority = minority > 0 && random.chance(60);
  const count = isMinority
    ? random.between(1, minority)
    : random.between(nodeCount - minority, nodeCount);
  return {
    nodes: someNodes(random, nodeCount, count),
    client: random.oneOf(linkedSeats(clientCount)),
    direction: random.oneOf(DIRECTIONS),
    forMs: short(random, 2 * ttlMs),
  };
}

/** Two clients with a quorum each, which share as few nodes as two quorums can. */
function split(random: Random, settings: CampaignSettings) {
  const { nodeCount, clientCount, ttlMs } = settings;
  const [client, rival] = some(random, linkedSeats(clientCount), 2);
  if (client === undefined || rival === undefined) {
    return { kind: "partition", ...partition(random, settings) } as const;
  }
  return {
    nodes: someNodes(random, nodeCount, nodeCount),
    client,
    rival,
    forMs: random.between(Math.floor(ttlMs / 2), 3 * ttlMs),
  };
}

export function someNodes(random: Random, nodeCount: number, count: number): number[] {
  const nodes = Array.from({ length: nodeCount }, (_, node) => node);
  return some(random, nodes, count);
}

/** That many of them, or all there are, in random order. */
function some<T>(random: Random, values: readonly T[], count: number): T[] {
  const left = [...values];
  const found = Math.min(count, left.length);
  return Array.from({ length: found }, () => left.splice(random.below(left.length), 1)).flat();
}
