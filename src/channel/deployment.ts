import {
  isConfirmedNew,
  lookAt,
  quarantineLeftMs,
  quarantineStart,
  type Sighting,
} from "../protocol/incarnation.js";
import { outwaitMs } from "../protocol/validity.js";
import type { Clock, Timer } from "../coordinator/ports.js";
import { quarantineText, type QuarantineCause } from "./quarantine-text.js";
import type { HandshakeReply } from "./transport.js";

/** What the deployment asks of a node's channel. */
export interface Member {
  /** Look at the record again; with `openId`, open it if that is still its id. */
  handshake(openId: string | undefined): void;
  /** Operations may flow. */
  admit(): void;
}

export interface DeploymentSettings {
  readonly nodeCount: number;
  readonly maxTtlMs: number;
  readonly driftFactor: number;
  readonly isQuarantineOn: boolean;
  /** Whether a new deployment, all of whose nodes are seen without a record, votes at once. */
  readonly isBootstrapOn: boolean;
  /** How long all nodes of a new deployment have to show up, ms. */
  readonly windowMs: number;
  readonly warn: (warning: DeploymentWarning) => void;
}

export type DeploymentWarning = {
  readonly kind: "nodeCount";
  readonly index: number;
  readonly message: string;
};

type Handshake = Extract<HandshakeReply, { kind: "handshake" }>;

/** How often undecided nodes are looked at again, ms. */
const POLL_MS = 50;

/** How often a node in quarantine is looked at that somebody may open after all, ms. */
const RELOOK_MS = 500;

/**
 * All nodes together: who they say they are, and whose acquire votes count.
 *
 * Decides on a new deployment (which takes all N nodes), finds a server given twice, and keeps
 * the quarantine of nodes that forgot, by the longest ttl found on any record.
 */
export class Deployment {
  readonly #settings: DeploymentSettings;
  readonly #clock: Clock;
  readonly #members: Member[] = [];
  readonly #sightings: (Sighting | undefined)[];
  readonly #runIds: (string | undefined)[];
  readonly #quarantineStarts: (number | undefined)[];
  readonly #quarantineCauses: QuarantineCause[];
  /** Nodes whose handshake is in but whose admission waits for the decision on a new deployment. */
  readonly #waiting = new Set<number>();
  /** Sightings of the first look; the second is complete when every node was seen after it. */
  #firstLook: readonly (Sighting | undefined)[] | undefined;
  readonly #seenAgain = new Set<number>();
  /** Ids of the records that a second look confirmed to be a new deployment's. */
  #confirmedIds: readonly (string | undefined)[] = [];
  #maxTtlMs: number;
  #window: Timer | undefined;
  #poll: Timer | undefined;
  #relook: Timer | undefined;
  #isWindowOver = false;

  constructor(settings: DeploymentSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
    this.#maxTtlMs = settings.maxTtlMs;
    const none = Array.from({ length: settings.nodeCount }, () => undefined);
    this.#sightings = [...none];
    this.#runIds = [...none];
    this.#quarantineStarts = [...none];
    this.#quarantineCauses = none.map(() => "forgot");
  }

  /** In node order. */
  join(member: Member): void {
    this.#members.push(member);
  }

  close(): void {
    this.#window?.cancel();
    this.#poll?.cancel();
    this.#relook?.cancel();
    this.#waiting.clear();
  }

  /** Whether this client has seen a record of the node. */
  hasRecord(index: number): boolean {
    return this.#sightings[index] !== undefined;
  }

  /** The other node that is the same server, by index. */
  duplicateOf(index: number, runId: string): number | undefined {
    const other = this.#runIds.findIndex((id, at) => id === runId && at !== index);
    return other === -1 ? undefined : other;
  }

  /** What is left of the node's quarantine, ms; 0 if its acquire votes count. */
  quarantineLeftMs(index: number): number {
    const start = this.#quarantineStarts[index];
    if (start === undefined || !this.#settings.isQuarantineOn) return 0;
    const lengthMs = outwaitMs(this.#maxTtlMs, this.#settings.driftFactor);
    return quarantineLeftMs(start, lengthMs, this.#clock.steady());
  }

  /** What happened to a node in quarantine, and what to do, in words. */
  quarantineText(index: number): string {
    const cause = this.#quarantineCauses[index] ?? "forgot";
    return quarantineText(cause, this.quarantineLeftMs(index));
  }

  /** A batch found another record on the node than it named: counted from now. */
  onForgot(index: number): void {
    this.#quarantineStarts[index] = this.#clock.steady();
    this.#quarantineCauses[index] = "lostData";
  }

  /** Takes in a handshake. Admits the node at once, or later when a new deployment is decided on. */
  onHandshake(index: number, handshake: Handshake): void {
    this.#runIds[index] = handshake.runId;
    this.#see(index, handshake);
    if (!this.#isUndecided(index)) {
      this.#admit(index);
    } else {
      this.#waiting.add(index);
      // Twice the window: by then every record that was there at its start has grown too old.
      this.#window ??= this.#clock.setTimer(2 * this.#settings.windowMs, () => this.#endWindow());
    }
    if (this.#waiting.size > 0) this.#lookForNewDeployment(index);
  }

  #see(index: number, handshake: Handshake): void {
    const { record, nodeTimeMs } = handshake;
    const known = this.#sightings[index];
    const isChanged = known !== undefined && known.record.id !== record.id;
    const seenSteadyMs = this.#clock.steady();
    const sawChange = isChanged || (known?.sawChange ?? false);
    const sighting: Sighting = { record, nodeTimeMs, seenSteadyMs, sawChange };
    this.#sightings[index] = sighting;
    if (known === undefined || isChanged) {
      this.#quarantineCauses[index] = causeOf(known, sighting);
      this.#quarantineStarts[index] = quarantineStart(sighting);
    } else if (record.state === "open" && !sighting.sawChange) {
      this.#quarantineStarts[index] = undefined;
    }
    // The node that forgot has also forgotten the longest ttl; the others have it on record.
    if (isChanged)
      this.#members.forEach((member, at) => at !== index && member.handshake(undefined));
    this.#maxTtlMs = Math.max(this.#maxTtlMs, record.maxTtlMs);
    if (record.nodeCount !== this.#settings.nodeCount) {
      const message = `on record with ${record.nodeCount} nodes, configured here with ${this.#settings.nodeCount}`;
      this.#settings.warn({ kind: "nodeCount", index, message });
    }
  }

  /**
   * A young record may be one of a new deployment: worth waiting for the other nodes.
   *
   * Also for a node that is open already. A vote it gave before its fellows were open it could
   * forget without a trace on any of them, and the deployment would look new once more, while the
   * round of that vote is still under way.
   */
  #isUndecided(index: number): boolean {
    const { isBootstrapOn, isQuarantineOn, windowMs } = this.#settings;
    const sighting = this.#sightings[index];
    if (!isBootstrapOn || !isQuarantineOn || this.#isWindowOver) return false;
    if (sighting === undefined || sighting.sawChange) return false;
    const { state } = sighting.record;
    if (state !== "fresh" && state !== "open") return false;
    const look = lookAt(this.#sightings, windowMs);
    return look === "new" || look === "maybe";
  }

  #lookForNewDeployment(index: number): void {
    const { windowMs } = this.#settings;
    const look = lookAt(this.#sightings, windowMs);
    if (look === "old" || look === "open") {
      this.#admitAll();
    } else if (look === "maybe") {
      this.#firstLook = undefined;
      this.#pollWaiting();
    } else if (this.#firstLook === undefined) {
      this.#firstLook = [...this.#sightings];
      this.#seenAgain.clear();
      for (const member of this.#members) member.handshake(undefined);
    } else {
      this.#seenAgain.add(index);
      if (this.#seenAgain.size < this.#settings.nodeCount) return;
      if (isConfirmedNew(this.#firstLook, this.#sightings, windowMs)) {
        this.#confirmedIds = this.#sightings.map((sighting) => sighting?.record.id);
        this.#handshakeWaiting();
      }
      this.#firstLook = undefined;
    }
  }

  /** Looks again; a node whose record was confirmed to be new is opened if it still has it. */
  #handshakeWaiting(): void {
    for (const index of this.#waiting) this.#members[index]?.handshake(this.#confirmedIds[index]);
  }

  /**
   * Another client is opening the deployment and its messages are on the way, or nodes are missing:
   * then the records that are there grow old, which decides too.
   */
  #pollWaiting(): void {
    this.#poll ??= this.#clock.setTimer(POLL_MS, () => {
      this.#poll = undefined;
      this.#handshakeWaiting();
    });
  }

  /** In quarantine only because nobody has opened it so far; its opener may be slow. */
  #mayYetBeOpened(index: number): boolean {
    const sighting = this.#sightings[index];
    if (sighting === undefined || sighting.sawChange || sighting.record.state !== "fresh")
      return false;
    return this.#settings.isBootstrapOn && this.quarantineLeftMs(index) > 0;
  }

  #relookLater(): void {
    this.#relook ??= this.#clock.setTimer(RELOOK_MS, () => {
      this.#relook = undefined;
      this.#members.forEach((member, index) => {
        if (this.#mayYetBeOpened(index)) member.handshake(undefined);
      });
    });
  }

  #endWindow(): void {
    this.#isWindowOver = true;
    // Its clock stands still, or it does not answer: never a reason to believe it sooner.
    for (const index of this.#waiting) this.#quarantineStarts[index] ??= this.#clock.steady();
    this.#admitAll();
  }

  #admitAll(): void {
    for (const index of [...this.#waiting]) this.#admit(index);
  }

  #admit(index: number): void {
    this.#waiting.delete(index);
    if (this.#waiting.size === 0) {
      this.#window?.cancel();
      this.#window = undefined;
      this.#poll?.cancel();
      this.#poll = undefined;
    }
    if (this.#mayYetBeOpened(index)) this.#relookLater();
    this.#members[index]?.admit();
  }
}

function causeOf(known: Sighting | undefined, { record }: Sighting): QuarantineCause {
  if (known !== undefined) return known.record.runId === record.runId ? "lostData" : "restarted";
  return record.state === "fresh" ? "new" : "forgot";
}
