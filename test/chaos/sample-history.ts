import { parseArguments } from "../../chaos/arguments.js";
import type { ChaosRecord } from "../../chaos/history/records.js";
import type { Fault } from "../../chaos/nemesis/faults.js";
import type { CampaignSettings } from "../../chaos/settings.js";

/** A short campaign as it could have been, with one violation: two hold `job:1` from 6.5 s on. */
export interface SampleHistory {
  readonly settings: CampaignSettings;
  readonly records: readonly ChaosRecord[];
}

const args = "--seed 4711 --minutes 0.2 --clients 4 --names 2";
const { settings } = parseArguments(args.split(" ")).orders[0];

const onNode = { client: undefined, direction: "both", amount: 0 } as const;
const plan = (
  [
    { ...onNode, kind: "kill", nodes: [0], atMs: 1_000, forMs: 1_500 },
    { ...onNode, kind: "clockRate", nodes: [1], amount: 1.004, atMs: 2_000, forMs: 7_000 },
    { ...onNode, kind: "blackhole", nodes: [3], atMs: 3_000, forMs: 1_500 },
    { ...onNode, kind: "clientFreeze", nodes: [], client: 2, atMs: 4_800, forMs: 1_200 },
    { ...onNode, kind: "freeze", nodes: [4], atMs: 5_000, forMs: 1_000 },
    { ...onNode, kind: "clientKill", nodes: [], client: 3, atMs: 7_500, forMs: 500 },
    { ...onNode, kind: "partition", nodes: [1, 2], client: 0, atMs: 8_000, forMs: 1_500 },
  ] satisfies Omit<Fault, "id">[]
).map((fault, id): Fault => ({ ...fault, id }));

interface Hold {
  readonly process: string;
  readonly name: string;
  readonly token: number;
  readonly fromMs: number;
  readonly toMs: number;
  /** Default: it is released. */
  readonly end?: "lost" | "crashed";
}

const HOLDS: readonly Hold[] = [
  { process: "c0.0", name: "job:0", token: 1001, fromMs: 500, toMs: 1_400 },
  { process: "c1.0", name: "job:0", token: 1002, fromMs: 1_500, toMs: 2_700 },
  { process: "c2.0", name: "job:0", token: 1003, fromMs: 4_500, toMs: 6_000, end: "lost" },
  { process: "c3.0", name: "job:0", token: 1004, fromMs: 6_600, toMs: 7_500, end: "crashed" },
  { process: "c0.0", name: "job:1", token: 2001, fromMs: 5_800, toMs: 7_000 },
  { process: "c1.0", name: "job:1", token: 2002, fromMs: 6_500, toMs: 7_300 },
];

/** Without its violation, the two holders are one after the other. */
export function sampleHistory({ isSafe = false } = {}): SampleHistory {
  const holds = HOLDS.map((hold) =>
    isSafe && hold.token === 2002 ? { ...hold, fromMs: 7_010, toMs: 7_300 } : hold,
  );
  const calls = new Map<string, number>();
  const callOf = (process: string): number => {
    const call = calls.get(process) ?? 0;
    calls.set(process, call + 1);
    return call;
  };
  const records: ChaosRecord[] = [
    { kind: "run", atUs: 0, settings, plan },
    ...["c0.0", "c1.0", "c2.0", "c3.0"].map(
      (process) => ({ kind: "process", atUs: 1_000, process, what: "start" }) as const,
    ),
    { kind: "process", atUs: 4_800_000, process: "c2.0", what: "pause" },
    { kind: "process", atUs: 6_000_000, process: "c2.0", what: "resume" },
    { kind: "process", atUs: 7_500_000, process: "c3.0", what: "crash" },
    { kind: "process", atUs: 8_000_000, process: "c3.1", what: "start" },
    ...plan.flatMap(({ id, atMs, forMs }): ChaosRecord[] => [
      { kind: "fault", atUs: atMs * 1_000, id, what: "begin" },
      { kind: "fault", atUs: (atMs + forMs) * 1_000, id, what: "end" },
    ]),
    ...holds.flatMap((hold) => recordsOf(hold, callOf)),
    ...probes(callOf),
    { kind: "phase", atUs: 12_000_000, what: "heal" },
  ];
  return { settings, records: records.toSorted((a, b) => a.atUs - b.atUs) };
}

function recordsOf(hold: Hold, callOf: (process: string) => number): ChaosRecord[] {
  const { process, name, token, fromMs, toMs, end } = hold;
  const ownerId = `owner-of-${token}-and-more:${process}`;
  const about = { process, name, ownerId };
  const call = callOf(process);
  const ttlMs = end === undefined ? toMs - fromMs + 200 : toMs - fromMs;
  const store = { kind: "store", ...about, token, base: 0 } as const;
  const records: ChaosRecord[] = [
    ...acquired(process, call, name, fromMs - 4, 4, "granted"),
    { kind: "grant", ...about, atUs: fromMs * 1_000, call, token, ttlMs, leftMs: ttlMs - 5 },
    { kind: "check", ...about, atUs: (fromMs + 50) * 1_000, leftMs: ttlMs - 55 },
    { ...store, atUs: (fromMs + 51) * 1_000, store: "fenced", what: "read" },
  ];
  if (end === "lost") {
    records.push({ kind: "lost", ...about, atUs: toMs * 1_000, reason: "expired" });
    records.push({ ...store, atUs: (toMs + 900) * 1_000, store: "fenced", what: "reject" });
  } else if (end === undefined) {
    const asked = { process, call: callOf(process), atUs: toMs * 1_000, steadyMs: toMs };
    records.push({ kind: "call", ...asked, what: "release", name, ownerId, withinMs: 200 });
    const answered = { atUs: (toMs + 2) * 1_000, steadyMs: toMs + 2, result: "released" };
    records.push({ kind: "settle", ...asked, ...answered });
  }
  return records;
}

/** Acquires of names without rivals: faster and slower ones, and one without a quorum. */
function probes(callOf: (process: string) => number): ChaosRecord[] {
  return Array.from({ length: 50 }, (_, at) => {
    const tookMs = at === 20 ? 1_500 : 2 + ((at * 7) % 40);
    const result = at === 20 ? "QUORATE_UNREACHABLE" : "granted";
    return acquired("c1.0", callOf("c1.0"), "own:c1.0", 300 + at * 200, tookMs, result);
  }).flat();
}

function acquired(
  process: string,
  call: number,
  name: string,
  atMs: number,
  tookMs: number,
  result: string,
): ChaosRecord[] {
  const untilMs = atMs + tookMs;
  const asked = { process, call, atUs: atMs * 1_000, steadyMs: atMs };
  return [
    { kind: "call", ...asked, what: "acquire", name, withinMs: 3_000 },
    { kind: "settle", process, call, atUs: untilMs * 1_000, steadyMs: untilMs, result },
  ];
}
