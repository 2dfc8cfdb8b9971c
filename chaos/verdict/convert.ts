import type { History, HistoryEvent } from "../../sim/oracles/history.js";
import type { CallRecord, ChaosRecord, LeftRecord, SettleRecord } from "../history/records.js";
import type { CampaignSettings } from "../settings.js";
import { beliefsOf, type Belief } from "./beliefs.js";
import { stopEvents } from "./stops.js";

/** How late timers may fire in a process that did not detect a stall, µs. */
const TIMER_SLOP_US = 25_000;
const LOSS_SLOP_US = 60_000;

/** All processes of a campaign read the same monotonic clock of their host. */
const STEADY_PPM = 0;

/**
 * A history in the form that the oracles read. It has nothing that only the inside of a client sees (rounds, votes)
 * and no keys of nodes before the end: oracles that need those cannot judge a real run.
 */
export function toHistory(records: readonly ChaosRecord[], settings: CampaignSettings): History {
  const beliefs = beliefsOf(records);
  const calls = new CallNumbers();
  const events: HistoryEvent[] = records.flatMap((record) => eventsOf(record, beliefs, calls));
  events.push(...stopEvents(records), ...[...beliefs.values()].map(endOf));
  return {
    settings: {
      nodeCount: settings.nodeCount,
      driftFactor: settings.driftFactor,
      maxTtlMs: settings.maxTtlMs,
      timerSlopUs: TIMER_SLOP_US,
      lossSlopUs: LOSS_SLOP_US,
      steadyPpm: STEADY_PPM,
    },
    // A stable sort: at a tie, ends follow what was read in the same microsecond, because it was read first.
    events: events.toSorted((a, b) => a.atUs - b.atUs),
  };
}

/** Each process numbers its own calls; here each number stands for a single call. */
class CallNumbers {
  readonly #numbers = new Map<string, number>();

  of({ process, call }: CallRecord | SettleRecord): number {
    const key = `${process} ${call}`;
    const number = this.#numbers.get(key) ?? this.#numbers.size;
    this.#numbers.set(key, number);
    return number;
  }
}

function eventsOf(
  record: ChaosRecord,
  beliefs: ReadonlyMap<string, Belief>,
  calls: CallNumbers,
): HistoryEvent[] {
  switch (record.kind) {
    case "call":
      return [{ ...record, ownerId: record.ownerId, call: calls.of(record) }];
    case "settle":
      return [{ ...record, call: calls.of(record) }];
    case "check":
    case "lost":
    case "store":
    case "phase":
      return [record];
    case "grant": {
      const belief = beliefs.get(record.ownerId);
      return belief === undefined ? [] : grantEvents(belief);
    }
    case "left":
      return leftEvents(record);
    case "process": {
      const { atUs, process, what } = record;
      if (what === "exited") {
        // It exited by itself, so it had neither timers nor connections.
        return [{ kind: "remains", atUs, process, timerCount: 0, openCallCount: 0 }];
      }
      return what === "pause" || what === "resume"
        ? []
        : [{ kind: "process", atUs, process, what }];
    }
    case "run":
    case "sample":
    case "stall":
    case "fault":
      return [];
  }
}

/** The first send of the attempt is not recorded; its call began no later. */
function grantEvents({ grant, askedUs, validUntilUs }: Belief): HistoryEvent[] {
  const { atUs, process, name, ownerId, token, ttlMs } = grant;
  const about = { process, name, ownerId, ttlMs };
  return [
    {
      ...{ kind: "send", ...about, atUs: askedUs, node: 0, round: 0, op: "acquire" },
      ...{ fence: undefined, leaseMs: askedUs / 1_000 },
    },
    {
      ...{ kind: "grant", ...about, atUs, token, leaseMs: atUs / 1_000 },
      ...{ validUntilMs: validUntilUs / 1_000, untilUs: validUntilUs },
    },
  ];
}

/**
 * The send of a key that is left is not recorded. It is dated so far before the inspection that nobody takes it for
 * one in flight: the processes have exited by then. On a fast machine the run is over right after the inspection.
 */
const SENT_BEFORE_US = 1_000_000;

function leftEvents({ atUs, node, name, ownerId, process, ttlMs }: LeftRecord): HistoryEvent[] {
  const about = { atUs, node, name };
  return [
    {
      ...{ kind: "send", ...about, process, ownerId, round: 0, op: "acquire", ttlMs },
      ...{
        atUs: atUs - SENT_BEFORE_US,
        fence: undefined,
        leaseMs: (atUs - SENT_BEFORE_US) / 1_000,
      },
    },
    {
      ...{ kind: "key", ...about, before: undefined, after: ownerId, by: ownerId, op: "acquire" },
      deadUs: atUs + ttlMs * 1_000,
    },
  ];
}

function endOf({ grant, endUs, why }: Belief): HistoryEvent {
  const { process, name, ownerId } = grant;
  return { kind: "end", atUs: endUs, process, name, ownerId, why };
}
