import type { HistoryEvent } from "../../../sim/oracles/history.js";
import { clientOf } from "./picture.js";

const client = (process: string): string => `Client ${clientOf(process)}`;
const seconds = (us: number): string => `${(us / 1_000_000).toFixed(2)} s`;

/** The end of a token: all tokens of a run begin with the same digits of the time. */
export const shortToken = (token: number): string => `…${String(token).slice(-8)}`;

const PROCESS = {
  start: "starts",
  pause: "is paused",
  resume: "runs again",
  suspend: "is suspended: its monotonic clock stands still",
  wake: "wakes up",
  jump: "has its wall clock set",
  crash: "crashes",
} as const;

const NODE = {
  crash: "crashes",
  restart: "is up again",
  freeze: "freezes",
  thaw: "goes on",
  forget: "loses its data",
  jump: "has its clock set",
  rate: "has a clock of another rate",
  scriptFlush: "loses its scripts",
  errors: "answers with errors",
  calm: "answers without errors again",
  isolate: "is out of reach",
} as const;

const END = {
  released: "releases the lock",
  lost: "is told that its lock is lost",
  expired: "does not hold the lock any more: its validity is over",
  crashed: "does not hold the lock any more",
  given: "gives the lock away",
} as const;

/**
 * An event in a sentence; undefined for the many that only matter to oracles.
 *
 * @param owners the process that asked, by owner
 */
export function narrate(
  event: HistoryEvent,
  owners: ReadonlyMap<string, string>,
): string | undefined {
  const whose = (ownerId: string): string => (owners.get(ownerId) ?? "somebody").replace(/^C/, "c");
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- most events are for oracles
  switch (event.kind) {
    case "call":
      return event.what === "acquire" ? `${client(event.process)} asks for the lock.` : undefined;
    case "settle":
      if (event.result === "granted") return undefined;
      return `${client(event.process)} does not get the lock: ${event.result}.`;
    case "grant": {
      const token = event.token === undefined ? "" : `, token ${shortToken(event.token)}`;
      return `${client(event.process)} holds the lock, valid until ${seconds(event.untilUs)}${token}.`;
    }
    case "validity":
      return `${client(event.process)} has renewed the lock, valid until ${seconds(event.untilUs)}.`;
    case "end":
      return `${client(event.process)} ${END[event.why]}.`;
    case "store": {
      const store =
        event.store === "fenced" ? "the store that checks tokens" : "the store that checks nothing";
      if (event.what === "read") return undefined;
      if (event.what === "write") return `${client(event.process)} writes to ${store}.`;
      return `${client(event.process)} is refused by ${store}: a larger token was there before.`;
    }
    case "key": {
      const { node, before, after, op } = event;
      if (after !== undefined && before !== after)
        return `Node ${node} has a key of ${whose(after)}.`;
      if (after !== undefined || before === undefined) return undefined;
      const how =
        op === "expire"
          ? "expires"
          : op === "overdue"
            ? "is overdue"
            : op === "forget"
              ? "is forgotten"
              : "is deleted";
      return `Node ${node}: the key of ${whose(before)} ${how}.`;
    }
    case "eligible":
      return `Node ${event.node}: its votes ${event.isEligible ? "count" : "do not count"}.`;
    case "node":
      return `Node ${event.node} ${NODE[event.what]}.`;
    case "process": {
      const what = PROCESS[event.what as keyof typeof PROCESS];
      return what === undefined ? undefined : `${client(event.process)} ${what}.`;
    }
    case "link":
      return `Client ${clientOf(event.process)} and node ${event.node}: ${event.what}.`;
    default:
      return undefined;
  }
}

/** The process that asked, by owner. */
export function ownersOf(events: readonly HistoryEvent[]): ReadonlyMap<string, string> {
  const sent = events.flatMap((event) => (event.kind === "send" ? [event] : []));
  return new Map(sent.map(({ ownerId, process }) => [ownerId, client(process)]));
}

/** The message of an oracle, with names instead of owners. */
export function plainly(message: string, owners: ReadonlyMap<string, string>): string {
  let text = message.replaceAll(/c(\d+)(?:\+\d+)? \(([^)]+)\)/g, "client $1");
  for (const [ownerId, name] of owners) text = text.replaceAll(ownerId, name.toLowerCase());
  return text;
}

export interface Told {
  readonly atUs: number;
  readonly text: string;
}

/** A run in sentences. */
export function narration(events: readonly HistoryEvent[], isNaive: boolean): Told[] {
  const owners = ownersOf(events);
  const told: Told[] = [];
  const acquires = new Set<number>();
  for (const event of events) {
    if (event.kind === "call" && event.what === "acquire") acquires.add(event.call);
    if (event.kind === "settle" && !acquires.has(event.call)) continue;
    // The naive Redlock has no quarantine.
    if (isNaive && event.kind === "eligible") continue;
    const text = narrate(event, owners);
    if (text !== undefined) told.push({ atUs: event.atUs, text });
  }
  return told;
}
