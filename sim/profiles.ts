import type { OracleId } from "./oracles/history.js";

/** Inside the timing and fault model: every promise holds. */
export const MODEL_PROFILES = [
  "calm",
  "network",
  "datagram",
  "skew",
  "crash",
  "pause",
  "suspend",
  "swarm",
  "election",
  "shared",
  "adoption",
  "semaphore",
  "steal",
  "delays",
  "steps",
  "several",
  "owners",
  "bursts",
  "waiting",
  "timestamp",
  "redisson",
  "redlock-beside",
  "drop-in",
] as const;

/**
 * Outside of it because an operator steps in: a lock that is ended by force is believed in until its
 * holder finds out.
 */
export const FORCED_PROFILES = ["force"] as const;

/** Outside of it: two may hold at once, and only the fencing token protects the store. */
export const WILD_PROFILES = [
  "jump",
  "wildskew",
  "amnesia-without-quarantine",
  "pause-after-check",
] as const;

export type Profile =
  | (typeof MODEL_PROFILES)[number]
  | (typeof WILD_PROFILES)[number]
  | (typeof FORCED_PROFILES)[number];

export const PROFILES: readonly Profile[] = [
  ...MODEL_PROFILES,
  ...WILD_PROFILES,
  ...FORCED_PROFILES,
];

/** What holds whatever clocks and nodes do. */
const ALWAYS: readonly OracleId[] = [
  ...(["S3", "S4", "S5", "S6", "F2", "L1", "L4", "L5"] as const),
  ...(["R1", "E1", "E2", "W1", "J1", "O1", "I2"] as const),
];
const IN_MODEL: readonly OracleId[] = [
  ...(["S1", "S2", "K1", "F1", "F3", "Q1", "D1", "D2", "O2", "W3", "I1"] as const),
];

/**
 * The oracles whose property is promised in a profile. Where messages keep no order, a release may
 * run ahead of its acquire: the key is left to its ttl, and waiters may be in each other's way for
 * long; and where a release comes twice, the answer to its second copy may arrive first. Counters that are forgotten without a quarantine may give smaller tokens, which a store
 * turns away.
 */
export function oraclesOf(profile: string): readonly OracleId[] {
  const inModel: readonly OracleId[] = [
    ...[...ALWAYS, ...IN_MODEL],
    ...(["L2", "L3", "W2", "H1", "H3"] as const),
  ];
  switch (profile) {
    case "jump":
    case "wildskew":
      return [...ALWAYS, "F1"];
    case "amnesia-without-quarantine":
      return ALWAYS;
    case "force":
      // Who was ended has nothing left to release, and is told so.
      return [...ALWAYS.filter((id) => id !== "R1"), "F1", "Q1", "L2", "L3", "W3", "H2", "I1"];
    case "pause-after-check":
      return [...ALWAYS, "S1", "S2", "F1", "Q1", "L2", "L3"];
    case "steal":
      // Who is preempted by another process may believe on for a while: only a store with a fence is safe.
      return [...ALWAYS, ...IN_MODEL.filter((id) => id !== "F3"), "L2", "L3"];
    case "timestamp":
    case "redisson":
      // Foreign code may rob one of ours by mistake, who believes on for a while.
      return inModel.filter((id) => id !== "F3");
    case "datagram":
      return [...ALWAYS, ...IN_MODEL].filter((id) => id !== "R1");
    default:
      return inModel;
  }
}
