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
  "requests",
  "healthy",
  "proxy",
  "splits",
  "nodes",
  "extensions",
  "mixed",
] as const;

/**
 * Outside of the model because an operator intervenes: the holder of a lock whose release was forced still
 * acts as the holder until it finds out.
 */
export const FORCED_PROFILES = ["force"] as const;

/** Outside of the model: two clients may hold a lock at once, and only the fencing token protects the store. */
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

/** Holds whatever clocks and nodes do. */
const ALWAYS: readonly OracleId[] = [
  ...(["S3", "S4", "S5", "S6", "F2", "L1", "L4", "L5", "L6", "L7", "L8"] as const),
  ...(["R1", "E1", "E2", "W1", "H4", "J1", "O1", "I2"] as const),
];
const IN_MODEL: readonly OracleId[] = [
  ...([
    "S1",
    "S2",
    "K1",
    "K2",
    "K3",
    "K4",
    "F1",
    "F3",
    "Q1",
    "D1",
    "D2",
    "O2",
    "W3",
    "W4",
    "W5",
    "W6",
    "W7",
    "I1",
    "I3",
    "I4",
  ] as const),
];

/**
 * The oracles whose property is promised in a profile. If messages are not ordered, a release may overtake its
 * acquire: the key is left to its ttl, and waiters may block each other for long. An acquire may overtake the leave
 * that was to take its place out of the queue. If a release is duplicated, the answer to its second copy may arrive
 * first. Counters that are forgotten without a quarantine may yield smaller tokens, which a store rejects.
 */
export function oraclesOf(profile: string): readonly OracleId[] {
  const inModel: readonly OracleId[] = [
    ...[...ALWAYS, ...IN_MODEL],
    ...(["L2", "L3", "W2", "W8", "H1", "H3"] as const),
  ];
  // A holder preempted by another process, or ended by force, may still act as the holder: only a store with a fence is
  // safe. What is promised to it is judged up to then.
  const whereRobbed: readonly OracleId[] = [
    ...[...ALWAYS, ...IN_MODEL].filter((id) => id !== "F3"),
    ...(["L2", "L3"] as const),
  ];
  switch (profile) {
    case "jump":
    case "wildskew":
      return [...ALWAYS, "F1"];
    case "amnesia-without-quarantine":
      return ALWAYS;
    case "force":
      return [...whereRobbed, "H2"];
    case "pause-after-check":
      return [...ALWAYS, "S1", "S2", "F1", "Q1", "L2", "L3"];
    case "mixed":
      return [...whereRobbed, "H2", "W2", "W8"];
    case "steal":
      return whereRobbed;
    case "timestamp":
    case "redisson":
      // Foreign code may take one of our locks by mistake; its holder then still acts as the holder for a while.
      return inModel.filter((id) => id !== "F3");
    case "network":
    case "swarm":
      // Messages that are lost are no faults that a history shows.
      return inModel.filter((id) => id !== "W7");
    case "datagram":
      return [...ALWAYS, ...IN_MODEL].filter((id) => !["R1", "W4", "W7"].includes(id));
    default:
      return inModel;
  }
}
