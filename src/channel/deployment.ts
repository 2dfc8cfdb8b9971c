import type { Clock, Timer } from "../coordinator/ports.js";
import type { Sighting } from "../protocol/quarantine.js";
import { toleratedCount } from "../protocol/quorum.js";
import { Bootstrap, type BootstrapSettings, type Candidates } from "./bootstrap.js";
import { ClockOffsets } from "./clock-offsets.js";
import { OUT_OF_STEP_REMEDY, type Handshake } from "./node-connection.js";
import type { HandshakeQuestion } from "./node-connections.js";
import { LongestTtl, type LongestTtlSettings } from "./longest-ttl.js";
import { NodesOfOthers } from "./nodes-of-others.js";
import { PlausibleVotes } from "./plausible-votes.js";
import { Quarantine, type QuarantineSettings } from "./quarantine.js";
import { ServerIdentities } from "./same-server.js";
import type { RecordOrder } from "./transport.js";

/** Where replies are mixed up, each connection soon ends like the one before. */
const WARN_AGAIN_MS = 60_000;

/** How long the other nodes have to say what a lost record had, ms. */
const ASK_MS = 500;

/** After which they are asked anew, ms: what they said may no longer be so. */
const STALE_MS = 5_000;

/** Where it is only a warning. */
const LIST_REMEDY =
  "their locks may not exclude each other: give all clients the same nodes (docs/operate/changing-nodes.md)";

/** The deployment's interface to a node's channel. */
export interface Member {
  /** Read the record again; with an order, carry it out. */
  handshake(order: RecordOrder | undefined): void;
  /** Operations may be sent. */
  admit(): void;
}

export interface DeploymentSettings
  extends BootstrapSettings, QuarantineSettings, LongestTtlSettings {
  readonly keyPrefix: string;
  readonly names: readonly string[];
  readonly warn: (warning: DeploymentWarning) => void;
  /** The time by which waiters are in order moves by so much, µs. */
  readonly onCorrection: (byUs: number) => void;
}

export type DeploymentWarning = {
  readonly kind: "nodeList" | "clock" | "outOfStep" | "fence" | "maxTtl" | "messages";
  readonly index: number;
  readonly message: string;
};

/**
 * All nodes together: their identities, and whose acquire votes count.
 *
 * Detects a server given twice. Nodes that lost their data are in {@link Quarantine}; nodes of a new deployment are
 * not, once {@link Bootstrap} has opened them.
 */
export class Deployment implements Candidates {
  /** All votes of the nodes pass here. */
  readonly votes: PlausibleVotes;
  /** Which nodes lost their data, and for how long their acquire votes do not count. */
  readonly quarantine: Quarantine;
  /** How far the nodes' clocks are from ours. */
  readonly offsets: ClockOffsets;
  /** Which server each of them is. */
  readonly servers = new ServerIdentities();
  readonly #settings: DeploymentSettings;
  readonly #clock: Clock;
  readonly #members: Member[] = [];
  readonly #bootstrap: Bootstrap;
  readonly #sightings: (Sighting | undefined)[];
  readonly #lists: NodesOfOthers;
  readonly #longestTtl: LongestTtl;
  /** Since when the others are asked for what a node's lost record had, by node, monotonic clock, ms. */
  readonly #lostMs: (number | undefined)[] = [];
  readonly #lostTimers = new Set<Timer>();
  /** When a node was sent the last handshake that it answered, monotonic clock, ms. */
  readonly #answeredMs: number[] = [];
  /** Warnings about lists that were given, by node. */
  readonly #told: (string | undefined)[];
  /** When a node's replies were last reported as out of step, monotonic clock, ms. */
  readonly #outOfStepMs: number[] = [];
  /** Nodes that were asked and have not answered: asking again would delay the answer. */
  readonly #asked = new Set<number>();

  constructor(settings: DeploymentSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
    const none = Array.from({ length: settings.nodeCount }, () => undefined);
    this.#sightings = [...none];
    this.#told = [...none];
    this.#lists = new NodesOfOthers(settings.keyPrefix, settings.names);
    this.#bootstrap = new Bootstrap(settings, clock, this.#sightings, this);
    const { nodeCount, clockStepMs, warn, onCorrection } = settings;
    const warnOfClock = (index: number, message: string): void =>
      warn({ kind: "clock", index, message });
    this.offsets = new ClockOffsets(nodeCount, clockStepMs, clock, warnOfClock, onCorrection);
    this.#longestTtl = new LongestTtl(settings, this.#sightings, (index, message) =>
      warn({ kind: "maxTtl", index, message }),
    );
    this.votes = new PlausibleVotes(nodeCount, clock, this.offsets, (index, message) =>
      warn({ kind: "fence", index, message }),
    );
    const ask = (index: number, order: RecordOrder | undefined): void => this.ask(index, order);
    this.quarantine = new Quarantine(settings, clock, this.#sightings, this.votes, ask);
  }

  /** In node order. */
  join(member: Member): void {
    this.#members.push(member);
  }

  close(): void {
    this.#bootstrap.close();
    this.quarantine.close();
    for (const timer of this.#lostTimers) timer.cancel();
  }

  /**
   * The content of a record for a node that has none; undefined if none is written for now, as the node may be new.
   */
  stateIfAbsent(index: number): "fresh" | "forgot" | undefined {
    return this.#isAskedAround(index) ? this.#stateIfLost(index) : undefined;
  }

  #stateIfLost(index: number): "fresh" | "forgot" | undefined {
    if (this.#settings.isLooking) return undefined;
    if (this.#sightings[index]?.record !== undefined) return "forgot";
    return this.#bootstrap.isOver ? "fresh" : undefined;
  }

  /** Whether a node without a record is to get one, as it is not one of a new deployment. */
  isLost(index: number): boolean {
    return this.#stateIfLost(index) !== undefined;
  }

  /**
   * A handshake found no record, and {@link isLost}: the others are asked first, as they have the longest ttl on
   * record. One with a smaller ttl would end the node's quarantine too soon.
   */
  onLost(index: number, sentSteadyMs: number): void {
    this.#noteAnswer(index, sentSteadyMs);
    if (this.#stateIfLost(index) === "forgot") this.quarantine.onForgot(index);
    if (this.#isAskedAround(index)) this.#write(index);
    else this.#askAround(index);
    this.#onAnswers();
  }

  #askAround(index: number): void {
    const nowMs = this.#clock.steady();
    if (nowMs - (this.#lostMs[index] ?? Number.NEGATIVE_INFINITY) < STALE_MS) return;
    this.#lostMs[index] = nowMs;
    this.#askOthers(index);
    const timer = this.#clock.setTimer(ASK_MS, () => {
      this.#lostTimers.delete(timer);
      this.#onAnswers();
    });
    this.#lostTimers.add(timer);
  }

  /** Whether enough others have said what the lost record had: one of each quorum at least, or all that can. */
  #isAskedAround(index: number): boolean {
    const { nodeCount } = this.#settings;
    const others = [...this.#members.keys()].filter((at) => at !== index);
    if (others.length === 0) return true;
    const sinceMs = this.#lostMs[index] ?? Number.POSITIVE_INFINITY;
    const nowMs = this.#clock.steady();
    if (nowMs < sinceMs || nowMs - sinceMs >= STALE_MS) return false;
    const answered = others.filter((at) => (this.#answeredMs[at] ?? 0) >= sinceMs);
    const neededCount = Math.min(toleratedCount(nodeCount) + 1, others.length);
    return answered.length >= neededCount || nowMs - sinceMs >= ASK_MS;
  }

  /** Writes the records for which the others were asked, once they have answered. */
  #onAnswers(): void {
    this.#lostMs.forEach((sinceMs, index) => {
      if (sinceMs !== undefined && this.#isAskedAround(index)) this.#write(index);
    });
  }

  #write(index: number): void {
    const state = this.#stateIfLost(index);
    if (state !== undefined) this.ask(index, state === "fresh" ? { becomes: "fresh" } : undefined);
  }

  #noteAnswer(index: number, sentSteadyMs: number): void {
    this.#asked.delete(index);
    this.#answeredMs[index] = sentSteadyMs;
  }

  /** An answer carried the node's time. */
  onNodeTime(index: number, nodeMs: number, roundTripMs: number): void {
    this.offsets.read(index, nodeMs, roundTripMs);
    this.votes.onNodeTime();
  }

  /** A connection to the node ended because its replies were not those of the requests. */
  onOutOfStep(index: number, message: string): void {
    const steadyMs = this.#clock.steady();
    if (steadyMs - (this.#outOfStepMs[index] ?? Number.NEGATIVE_INFINITY) < WARN_AGAIN_MS) return;
    this.#outOfStepMs[index] = steadyMs;
    this.#settings.warn({ kind: "outOfStep", index, message: `${message}; ${OUT_OF_STEP_REMEDY}` });
  }

  /**
   * Processes a handshake. Admits the node immediately, or later when a new deployment is decided on.
   *
   * @param ownSinceMs before this client sent what wrote the record, lease clock, ms; undefined if another wrote it
   */
  onHandshake(index: number, handshake: Handshake, ownSinceMs: number | undefined): void {
    this.#noteAnswer(index, handshake.sentSteadyMs);
    const isNew = this.servers.see(index, handshake);
    this.#see(index, handshake, ownSinceMs);
    // Another node that is the same server has this record by now, and may still be known by one that is gone.
    if (isNew && handshake.runId === "") this.#askOthers(index);
    for (const at of this.#lists.takeLacking()) this.ask(at, undefined);
    this.#bootstrap.onSeen(index);
    this.#onAnswers();
  }

  #see(index: number, handshake: Handshake, ownSinceMs: number | undefined): void {
    const { record, nodeTimeMs, sentSteadyMs } = handshake;
    const before = this.#sightings[index];
    const isChanged = before?.record !== undefined && before.record.id !== record?.id;
    const sighting: Sighting = {
      ...{ record, nodeTimeMs, sentSteadyMs, ownSinceMs },
      seenSteadyMs: this.#clock.steady(),
      seenWallMs: this.#clock.wallUs() / 1_000,
      sawChange: isChanged || (before?.sawChange ?? false),
    };
    this.#sightings[index] = sighting;
    if (record !== undefined) this.#lostMs[index] = undefined;
    this.#longestTtl.onSeen(index, handshake.earlierTtlMs, before);
    this.#lists.onSeen(index, handshake);
    this.onNodeTime(index, nodeTimeMs, sighting.seenSteadyMs - sentSteadyMs);
    if (isChanged) this.votes.onNewRecord(index);
    this.quarantine.onSeen(index, sighting, before);
    // The node that lost its data has also lost the longest ttl; the others have it on record.
    if (isChanged) this.#askOthers(index);
    this.#warnOfLists();
  }

  /** Whether a node's list is ours may be known only when another node was seen. */
  #warnOfLists(): void {
    for (const index of this.#members.keys()) {
      const message = this.#lists.differenceOn(index);
      const isTold = message === this.#told[index];
      this.#told[index] = message;
      if (message === undefined || isTold) continue;
      this.#settings.warn({ kind: "nodeList", index, message: `${message}; ${LIST_REMEDY}` });
    }
  }

  /** What a handshake with the node asks and writes. */
  question(
    index: number,
    isDurable: boolean,
    wantedTtlMs: number,
    order: RecordOrder | undefined,
  ): HandshakeQuestion {
    const ifAbsent = order?.becomes === "fresh" ? "fresh" : this.stateIfAbsent(index);
    const offer = this.#lists.offerFor(index);
    const nodeList =
      offer.list === undefined ? offer : { ...offer, topFence: this.quarantine.topFence };
    const { nodeCount, clockStepMs, isLooking } = this.#settings;
    // Of a node that lost its data, also where the record itself was left: it may be older than the last raise.
    const shownMs = this.quarantine.leftMs(index) > 0 ? this.#longestTtl.shownBeside(index) : 0;
    const maxTtlMs = Math.max(wantedTtlMs, shownMs ?? 0);
    const firstTtlMs = this.#longestTtl.firstFor(index);
    const own = { nodeCount, clockStepMs, isDurable, isLooking };
    return { ...own, ifAbsent, maxTtlMs, firstTtlMs, order, nodeList };
  }

  /** Both lists, where the clients on record use other nodes; undefined as far as they use the same. */
  get listDifference(): string | undefined {
    return this.#lists.difference;
  }

  /** The longest ttl that a quorum of nodes has on record, ms; undefined where it is not known, or raised anyway. */
  get recordedTtlMs(): number | undefined {
    return this.#settings.raisesTtl ? undefined : this.#longestTtl.recordedMs;
  }

  #askOthers(index: number): void {
    this.#members.forEach((_, at) => at !== index && this.ask(at, undefined));
  }

  /** Called by bootstrap and quarantine. */
  ask(index: number, order: RecordOrder | undefined): void {
    if (order?.becomes === "fresh" && this.isLost(index) && !this.#isAskedAround(index)) {
      this.#askAround(index);
      return;
    }
    if (this.#asked.has(index)) return;
    this.#asked.add(index);
    this.#members[index]?.handshake(order);
  }

  /** Called by the bootstrap. */
  admit(index: number): void {
    this.#members[index]?.admit();
  }
}
