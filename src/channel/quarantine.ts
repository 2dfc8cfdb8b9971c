import type { Clock, Timer } from "../coordinator/ports.js";
import {
  ageByClocksMs,
  isTrusted,
  oldAgeMs,
  quarantineLeftMs,
  type Sighting,
} from "../protocol/quarantine.js";
import type { IncarnationRecord, RecordState } from "../protocol/record.js";
import { outwaitMs } from "../protocol/lease-times.js";
import { toleratedCount } from "../protocol/quorum.js";
import type { Refusal } from "./entry.js";
import type { PlausibleVotes } from "./plausible-votes.js";
import type { RecordOrder } from "./transport.js";

export interface QuarantineSettings {
  readonly isQuarantineOn: boolean;
  /** It takes no locks, and writes no records. */
  readonly isLooking: boolean;
  readonly nodeCount: number;
  readonly maxTtlMs: number;
  /** Whether the records are raised to it; if not, theirs count instead. */
  readonly raisesTtl: boolean;
  readonly clockStepMs: number;
  readonly driftFactor: number;
}

/** Interval at which a quarantined node is read: another client may have opened or attested it, ms. */
const LOOK_MS = 500;

/** Interval at which a node that may vote again is told so until it confirms, ms. */
const ATTEST_MS = 50;

/** How long to wait for the fences of other nodes, ms. */
const FENCES_WAIT_MS = 500;

/**
 * Why a node is in quarantine, as far as this client can know.
 *
 * - `restarted`: the server was restarted
 * - `lostData`: the same run, without its record
 * - `forgot`: one of both; another client was connected when it happened
 * - `new`: no client is known to have seen it before
 */
type QuarantineCause = "restarted" | "lostData" | "forgot" | "new";

const IN_TESTS =
  'In tests that flush, use `flushNodes` of quorate/testing, or `quarantine: "off"` (docs/how-to/testing.md#tests-that-flush)';

const DURABLE = "`durable: true` for a node that keeps every write, or a smaller `maxTtlMs`";

const TEXTS: Readonly<Record<QuarantineCause, readonly [happened: string, remedy: string]>> = {
  restarted: ["restarted", `To avoid the wait: ${DURABLE}`],
  lostData: [
    "was flushed, or lost its data",
    `A smaller \`maxTtlMs\` makes the wait shorter. ${IN_TESTS}`,
  ],
  forgot: ["restarted or lost its data", `To avoid the wait: ${DURABLE}. ${IN_TESTS}`],
  new: [
    "has no record of having been used",
    `To avoid the wait: if all nodes are new, start them before the first client. If it lost its data while no client ran: ${DURABLE}`,
  ],
};

/** Whether such a record says that the deployment is not new. A Cluster's says nothing. */
const HAS_PAST: Readonly<Record<RecordState, boolean>> = {
  ...{ fresh: false, opening: false, unkept: false },
  ...{ open: true, forgot: true, attested: true },
};

const UNRECORDED =
  "has no record, but others have: the next client that takes locks quarantines it";

interface Watch {
  /** From when it was seen, monotonic clock, ms. */
  readonly sinceMs: number;
  readonly cause: QuarantineCause;
  /** When the record was written at the latest, by wall clocks, monotonic clock, ms; infinite where they do not count. */
  readonly writtenMs: number;
  /** When it was found that no lease the node lost can still be valid, monotonic clock, ms. */
  readonly overMs?: number | undefined;
}

/**
 * Nodes that lost their data: each is watched, on this client's own monotonic clock, for as long as a lease that it
 * voted for may last. Then that is written to its record, for later clients; until it is, the node does not vote.
 */
export class Quarantine {
  readonly #settings: QuarantineSettings;
  readonly #clock: Clock;
  readonly #sightings: readonly (Sighting | undefined)[];
  readonly #fences: Pick<PlausibleVotes, "judge" | "reject">;
  readonly #ask: (index: number, order: RecordOrder | undefined) => void;
  readonly #watches: (Watch | undefined)[];
  #maxTtlMs: number;
  #clockStepMs: number;
  #timer: Timer | undefined;
  /**
   * Bit mask of the nodes that have no record, where others have: a client that only looks does not begin their
   * quarantine.
   */
  #unrecorded = 0;

  /** @param sightings kept up to date by the caller, in node order */
  constructor(
    settings: QuarantineSettings,
    clock: Clock,
    sightings: readonly (Sighting | undefined)[],
    fences: Pick<PlausibleVotes, "judge" | "reject">,
    ask: (index: number, order: RecordOrder | undefined) => void,
  ) {
    this.#settings = settings;
    this.#clock = clock;
    this.#sightings = sightings;
    this.#fences = fences;
    this.#ask = ask;
    this.#watches = sightings.map(() => undefined);
    this.#maxTtlMs = settings.raisesTtl ? settings.maxTtlMs : 0;
    this.#clockStepMs = settings.clockStepMs;
  }

  close(): void {
    this.#timer?.cancel();
  }

  /** Remaining quarantine of the node, ms; 0 if its acquire votes count. */
  leftMs(index: number): number {
    const watch = this.#watches[index];
    if (watch !== undefined) return Math.max(this.#leftOf(watch), ATTEST_MS);
    return this.#unrecorded & (1 << index) ? Math.max(this.#lengthMs, ATTEST_MS) : 0;
  }

  /** The largest clock margin of this client and of those on record, ms. */
  get marginMs(): number {
    return this.#clockStepMs;
  }

  /** Why the node's acquire votes do not count: what happened to it, and what to do. Undefined if they do. */
  problemOf(index: number): string | undefined {
    const watch = this.#watches[index];
    if (watch !== undefined) return quarantineText(watch.cause, this.leftMs(index));
    return this.#unrecorded & (1 << index) ? UNRECORDED : undefined;
  }

  #findUnrecorded(): number {
    let mask = 0;
    const hasPast = this.#sightings.some((seen) => seen?.record && HAS_PAST[seen.record.state]);
    if (!hasPast || !this.#settings.isQuarantineOn) return mask;
    for (const [index, seen] of this.#sightings.entries()) {
      if (seen !== undefined && seen.record === undefined) mask |= 1 << index;
    }
    return mask;
  }

  get #lengthMs(): number {
    return outwaitMs(this.#maxTtlMs, this.#settings.driftFactor);
  }

  /** The node has another record than the one we know: the quarantine counts from now. */
  onForgot(index: number): void {
    this.#watch(index, "lostData");
  }

  /** @param before the previous sighting, if the node was seen before */
  onSeen(index: number, sighting: Sighting, before: Sighting | undefined): void {
    const { record } = sighting;
    if (this.#settings.isLooking) {
      this.#unrecorded = this.#findUnrecorded();
      this.#arm();
    }
    if (record === undefined) return;
    this.#maxTtlMs = Math.max(this.#maxTtlMs, record.maxTtlMs);
    this.#clockStepMs = Math.max(this.#clockStepMs, record.clockStepMs);
    if (isTrusted(sighting)) {
      this.#watches[index] = undefined;
      // Its fence may be the last that was missing. Who still lacks one asks when it is time: at each answer, the nodes
      // would be asked as fast as they can answer.
      this.#watches.forEach((watch, at) => watch?.overMs !== undefined && this.#attest(at, watch));
      return;
    }
    // A client that saw the loss needs no other clocks.
    const { sawChange, seenSteadyMs } = sighting;
    const writtenMs = sawChange ? Number.POSITIVE_INFINITY : seenSteadyMs - ageByClocksMs(sighting);
    const watch = this.#watches[index];
    const isNew = before?.record?.id !== record.id;
    if (isNew) this.#watch(index, causeOf(before, sighting), writtenMs);
    else if (watch !== undefined) this.#watches[index] = { ...watch, writtenMs };
  }

  #watch(index: number, cause: QuarantineCause, writtenMs = Number.POSITIVE_INFINITY): void {
    if (!this.#settings.isQuarantineOn) return;
    this.#watches[index] = { sinceMs: this.#clock.steady(), cause, writtenMs };
    this.#arm();
  }

  #leftOf({ sinceMs, writtenMs }: Watch): number {
    const { driftFactor } = this.#settings;
    const nowMs = this.#clock.steady();
    const ownMs = quarantineLeftMs(sinceMs, this.#lengthMs, nowMs);
    const oldMs = oldAgeMs(this.#maxTtlMs, driftFactor, this.#clockStepMs);
    return Math.min(ownMs, quarantineLeftMs(writtenMs, oldMs, nowMs));
  }

  #arm(): void {
    this.#timer?.cancel();
    const left = this.#watches.flatMap((watch, index) => {
      if (watch !== undefined) return this.#leftOf(watch);
      return this.#unrecorded & (1 << index) ? LOOK_MS : [];
    });
    if (left.length === 0) return;
    const leastMs = Math.min(...left);
    const delayMs = Math.min(leastMs > 0 ? leastMs : ATTEST_MS, LOOK_MS);
    this.#timer = this.#clock.setTimer(delayMs, () => {
      this.#watches.forEach((watch, index) => {
        if (watch !== undefined) this.#look(index, watch);
        else if (this.#unrecorded & (1 << index)) this.#ask(index, undefined);
      });
      this.#arm();
    });
  }

  #look(index: number, watch: Watch): void {
    const sighting = this.#sightings[index];
    if (sighting?.record === undefined) return;
    if (this.#leftOf(watch) === 0) {
      const over = { ...watch, overMs: watch.overMs ?? this.#clock.steady() };
      this.#watches[index] = over;
      if (this.#attest(index, over)) return;
      for (const at of this.#others(index)) this.#ask(at, undefined);
      return;
    }
    // What other nodes have on record has made it longer since.
    if (watch.overMs !== undefined) this.#watches[index] = { ...watch, overMs: undefined };
    // A client that saw the loss has watched the node for as long as any other.
    if (!sighting.sawChange) this.#ask(index, undefined);
  }

  /**
   * With the highest fence of enough other nodes that every earlier quorum shares a node with them.
   *
   * @returns false if the fences of others are missing, or it is not over any more
   */
  #attest(index: number, watch: Watch): boolean {
    const { overMs = Number.POSITIVE_INFINITY } = watch;
    if (this.#leftOf(watch) > 0) return false;
    const id = this.#sightings[index]?.record?.id;
    if (id === undefined) return false;
    const others = this.#others(index);
    const fences = others.flatMap((at) => {
      const seen = this.#sightings[at];
      const fence = seen?.record?.topFence ?? Number.NaN;
      return seen && seen.sentSteadyMs >= overMs && Number.isSafeInteger(fence) ? fence : [];
    });
    const neededCount = toleratedCount(this.#settings.nodeCount) + 1;
    const isEnough = fences.length >= Math.min(neededCount, others.length);
    if (!isEnough && this.#clock.steady() - overMs < FENCES_WAIT_MS) return false;
    this.#ask(index, { becomes: "attested", id, topFence: Math.max(0, ...fences) });
    return true;
  }

  #others(index: number): readonly number[] {
    return [...this.#sightings.keys()].filter((at) => this.#remembers(at, index));
  }

  /** The highest fence that any node has, as far as it is known. */
  get topFence(): number {
    const fences = this.#sightings.map((seen, at) => {
      const fence = seen?.record?.topFence ?? 0;
      return Number.isSafeInteger(fence) && this.#isPlausible(at, seen?.record) ? fence : 0;
    });
    return Math.max(0, ...fences);
  }

  #remembers(at: number, but: number): boolean {
    const isWatched = this.#watches[at] !== undefined;
    const record = this.#sightings[at]?.record;
    return at !== but && !isWatched && record?.state !== "unkept" && this.#isPlausible(at, record);
  }

  /** A floor above all plausible fences would keep every name of the other node from being locked. */
  #isPlausible(at: number, record: IncarnationRecord | undefined): boolean {
    const fence = record?.topFence ?? 0;
    if (!Number.isSafeInteger(fence) || this.#fences.judge(fence) !== "implausible") return true;
    this.#fences.reject(at, fence);
    return false;
  }
}

function causeOf(before: Sighting | undefined, { record }: Sighting): QuarantineCause {
  if (before?.record !== undefined)
    return before.record.runId === record?.runId ? "lostData" : "restarted";
  return record?.state === "forgot" ? "forgot" : "new";
}

/** What happened, how long the node does not vote, and how to avoid that. */
function quarantineText(cause: QuarantineCause, leftMs: number): string {
  const [happened, remedy] = TEXTS[cause];
  const seconds = Math.ceil(leftMs / 1_000);
  return `${happened}; it votes in ${seconds} s, when every earlier lock has ended. ${remedy}`;
}

/**
 * The longest ttl of a key on one node, as the node's record has it.
 *
 * A node that lost its keys does not vote for as long as the record says, so a key with a longer ttl must not be
 * stored before the record says so.
 */
export class TtlOnRecord {
  /** What this client asks for in every handshake, ms; 0 as long as it takes what there is. */
  wantedMs: number;
  #recordedMs = 0;
  #waiting: (() => void)[] = [];

  constructor(wantedMs: number) {
    this.wantedMs = wantedMs;
  }

  /** Whether the record is lower than what this client needs. */
  get isBehind(): boolean {
    return this.#recordedMs < this.wantedMs;
  }

  /** Whether keys with that ttl need more than the record allows, and more than was asked for, ms. */
  isMore(ttlMs: number): boolean {
    return ttlMs > Math.max(this.wantedMs, this.#recordedMs);
  }

  /** A handshake was answered. */
  onRecord(maxTtlMs: number): void {
    this.#recordedMs = maxTtlMs;
    if (!this.isBehind) this.onEnd();
  }

  /** Resolves when the record is no longer lower, or when the node cannot be asked any more. */
  settled(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The connection has ended. */
  onEnd(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Why a key of that ttl must not be stored now, whether or not the record will be raised; undefined if it may. */
  problemOf(neededMs: number): Refusal | undefined {
    if (neededMs <= this.#recordedMs) return undefined;
    const needs = `keys of ${neededMs} ms`;
    if (neededMs <= this.wantedMs) {
      return { fault: "quarantined", message: `its record does not allow for ${needs} yet` };
    }
    const message = `its record allows for ${this.#recordedMs} ms, and not for ${needs}`;
    return { fault: "misconfigured", message };
  }
}
