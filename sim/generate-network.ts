import type { NetworkSettings } from "./link.js";
import type { Profile } from "./profiles.js";
import type { Random } from "./random.js";
import type { Scenario } from "./scenario.js";

export function generateNetwork(random: Random, profile: Profile): NetworkSettings {
  const kind = profile === "datagram" ? "unordered" : "ordered";
  const calm: NetworkSettings = {
    kind,
    minDelayUs: random.between(50, 500),
    meanDelayUs: random.between(50, 2_000),
    tailPerMille: 0,
    tailFactor: 1,
    dropPerMille: 0,
    duplicatePerMille: 0,
    zombiePerMille: 0,
  };
  if (profile === "calm") return calm;
  const isRough = profile === "network" || profile === "datagram" || profile === "swarm";
  return {
    ...calm,
    meanDelayUs: isRough ? random.between(200, 40_000) : random.between(100, 5_000),
    tailPerMille: random.between(0, isRough ? 50 : 10),
    tailFactor: random.between(5, 30),
    dropPerMille: isRough ? random.between(0, profile === "datagram" ? 150 : 30) : 0,
    duplicatePerMille: profile === "datagram" ? random.between(0, 300) : 0,
    zombiePerMille: isRough ? random.between(0, 500) : 0,
  };
}

/** Each client is closest to a different node, so clients that ask simultaneously each get their own node first. */
export function generateDistances(
  random: Random,
  {
    nodeCount,
    clientCount,
    options,
  }: Pick<Scenario, "nodeCount" | "options"> & { readonly clientCount: number },
): number[][] {
  const farUs = random.between(1, options.nodeTimeoutMs * 100);
  return Array.from({ length: clientCount }, (_, client) =>
    Array.from({ length: nodeCount }, (__, node) => (node === client % nodeCount ? 0 : farUs)),
  );
}
