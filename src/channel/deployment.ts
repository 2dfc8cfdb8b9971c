import type { Clock, Timer } from "../coordinator/ports.js";
import { quarantineLeftMs, quarantineStart, type Sighting } from "../protocol/incarnation.js";
import { outwaitMs } from "../protocol/validity.js";
import { Bootstrap, type BootstrapSettings, type Candidates } from "./bootstrap.js";
import { quarantineText, type QuarantineCause } from "./quarantine-text.js";
import type { HandshakeReply } from "./transport.js";

/** What the deployment asks of a node's channel. */
export interface Member {
  /** Look at the record again; with `openId`, open it if that is still its id. */
  handshake(openId: string | undefined): void;
  /** Operations may flow. */
  admit(): void;
}

export interface DeploymentSettings extends BootstrapSettings {
  readonly nodeCount: number;
  readonly maxTtlMs: number;
  readonly driftFactor: number;
  readonly warn: (warning: DeploymentWarning) => void;
}

export type DeploymentWarning = {
  readonly kind: "nodeCount";
  readonly index: number;
  readonly message: string;
};

type Handshake = Extract<HandshakeReply, { kind: "handshake" }>;

/** How often a node in quarantine is looked at that somebody may open after all, ms. */
const RELOOK_MS = 500;

/**
 * All nodes together: who they say they are, and whose acquire votes count.
 *
 * Finds a server given twice, and keeps the quarantine of nodes that forgot, by the longest ttl found on any
 * record. Nodes of a new deployment have none, once {@link Bootstrap} has opened them.
 */
export class Deployment implements Candidates {
  readonly #settings: DeploymentSettings;
  readonly #clock: Clock;
  readonly #members: Member[] = [];
  readonly #bootstrap: Bootstrap;
  readonly #sightings: (Sighting | undefined)[];
  readonly #runIds: (string | undefined)[];
  readonly #quarantineStarts: (number | undefined)[];
  readonly #quarantineCauses: QuarantineCause[];
  #maxTtlMs: number;
  #relook: Timer | undefined;

  constructor(settings: DeploymentSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
    this.#maxTtlMs = settings.maxTtlMs;
    const none = Array.from({ length: settings.nodeCount }, () => undefined);
    this.#sightings = [...none];
    this.#runIds = [...none];
    this.#quarantineStarts = [...none];
    this.#quarantineCauses = none.map(() => "forgot");
    this.#bootstrap = new Bootstrap(settings, clock, this.#sightings, this);
  }

  /** In node order. */
  join(member: Member): void {
    this.#members.push(member);
  }

  close(): void {
    this.#bootstrap.close();
    this.#relook?.cancel();
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
    this.#bootstrap.onSeen(index);
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

  /** Called by the bootstrap. */
  handshake(index: number, openId: string | undefined): void {
    this.#members[index]?.handshake(openId);
  }

  /** Called by the bootstrap. */
  admit(index: number): void {
    if (this.#mayYetBeOpened(index)) this.#relookLater();
    this.#members[index]?.admit();
  }

  /** Called by the bootstrap. */
  onUndecided(index: number): void {
    // Its clock stands still, or it does not answer: never a reason to believe it sooner.
    this.#quarantineStarts[index] ??= this.#clock.steady();
  }
}

function causeOf(known: Sighting | undefined, { record }: Sighting): QuarantineCause {
  if (known !== undefined) return known.record.runId === record.runId ? "lostData" : "restarted";
  return record.state === "fresh" ? "new" : "forgot";
}
