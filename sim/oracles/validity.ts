import {
  type GrantEvent,
  type History,
  type HistorySettings,
  type ValidityEvent,
  type Violate,
} from "./history.js";
import { NodeLists } from "./node-lists.js";
import { RoundLog, type SeenRound } from "./rounds.js";

/** Fixed part of the drift, ms: Redis rounds to 1 ms, and so may a timer. */
const DRIFT_FLOOR_MS = 2;

/** Fractions of the clocks are below this, ms. */
const EPSILON_MS = 1e-6;

/**
 * S3: a belief is never longer than its proof. Validity is at most ttl less drift, from before the
 * first send of a round that a quorum granted; it is still there when the lock is handed out; and
 * nothing but a quorum of answers to one later round about that very name raises it.
 */
export function checkValidity(history: History, violate: Violate): void {
  const { settings, events } = history;
  const lists = new NodeLists(history);
  const log = new RoundLog();
  for (const event of events) {
    log.see(event);
    if (event.kind !== "grant" && event.kind !== "validity") continue;
    const say = (message: string): void => {
      violate(event.atUs, `${event.ownerId} ${message}`);
    };
    const limitMs = longestProofMs(log, event, settings, lists);
    if (event.validUntilMs > limitMs + EPSILON_MS) {
      say(`believes ${(event.validUntilMs - limitMs).toFixed(3)} ms longer than was proven`);
    }
    if (event.kind === "grant" && event.validUntilMs <= event.leaseMs) {
      say("was granted with no validity left");
    }
    if (event.kind === "grant" && !isTokenStored(log, event, lists)) {
      say("was granted before a quorum stored its fencing token");
    }
  }
}

function longestProofMs(
  log: RoundLog,
  { kind, process, ownerId, name }: GrantEvent | ValidityEvent,
  settings: HistorySettings,
  lists: NodeLists,
): number {
  const proofs = [...log.of(ownerId, "acquire")];
  if (kind === "validity") proofs.push(...log.of(ownerId, "extend"));
  const untils = proofs
    .filter(({ names }) => names.includes(name))
    .filter(({ granted }) => granted.size >= lists.quorumOf(process))
    .map((round) => provenUntilMs(round, settings, lists.quorumOf(process)));
  return Math.max(Number.NEGATIVE_INFINITY, ...untils);
}

/** From the last instant that counts on a quorum of nodes. */
function provenUntilMs(
  { sentMs, ttlMs }: SeenRound,
  { driftFactor }: HistorySettings,
  quorum: number,
): number {
  const fromMs = [...sentMs.values()].toSorted((a, b) => b - a)[quorum - 1] as number;
  return fromMs + ttlMs - Math.ceil(ttlMs * driftFactor) - DRIFT_FLOOR_MS;
}

function isTokenStored(log: RoundLog, grant: GrantEvent, lists: NodeLists): boolean {
  const { token, ownerId } = grant;
  if (token === undefined) return true;
  const nodes = new Set<number>();
  for (const round of [...log.of(ownerId, "acquire"), ...log.of(ownerId, "seal")]) {
    for (const [node, fences] of round.fences) if (fences.has(token)) nodes.add(node);
  }
  return nodes.size >= lists.quorumOf(grant.process);
}
