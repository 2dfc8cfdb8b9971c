import type { Clock, Entropy, NodePort, Timer, VoteReceiver } from "../coordinator/ports.js";
import type { Operation } from "../protocol/operation.js";
import type { Deployment, Member } from "./deployment.js";
import { answerUnknown, refuseUnsent, type Entry } from "./entry.js";
import { Pipeline } from "./pipeline.js";
import { PendingReleases } from "./pending-releases.js";
import { RecordedTtl } from "./recorded-ttl.js";
import { reconnectDelayMs } from "./reconnect.js";
import { NodeConnection, type Handshake } from "./node-connection.js";
import type { ConnectionFailure, HandshakeRequest, Transport } from "./transport.js";

export interface ChannelSettings {
  readonly nodeCount: number;
  /** Longest life of a key, ms; {@link NodeChannel.allowTtl} raises it. */
  readonly maxTtlMs: number;
  readonly isDurable: boolean;
  /** An evicting policy is reported, but the node is used. */
  readonly isEvictionAllowed: boolean;
  /** Whether batches name the incarnation they know, so that a node that forgot grants nothing. */
  readonly isIncarnationCompared: boolean;
  /** Deadline for connecting and for the handshake, ms. */
  readonly handshakeTimeoutMs: number;
  /** An operation unanswered for so long makes the node suspected, ms. */
  readonly suspectAfterMs: number;
  /** Unanswered for so long, the connection is given up and opened anew, ms. */
  readonly giveUpAfterMs: number;
}

/**
 * - `connecting`: no handshake yet; operations wait for it within their deadline
 * - `ready`: operations are sent
 * - `suspected`: connected, but earlier operations are unanswered
 * - `quarantined`: ready, but acquire votes do not count yet
 * - `down`: the last try to connect failed
 * - `misconfigured`: the node answers, but must not vote
 */
export type ChannelState =
  | "connecting"
  | "ready"
  | "suspected"
  | "quarantined"
  | "down"
  | "misconfigured"
  | "closed";

/** Called on every change of state that the channel notices by itself. */
export type StateListener = (state: ChannelState, detail: string) => void;

const UNANSWERED = "earlier operations are unanswered";

type Phase = "connecting" | "ready" | "down" | "misconfigured" | "closed";

/**
 * One node behind one connection at a time: handshake first, then operations in order; nothing is sent
 * late, no release that matters is dropped, and a node that does not answer costs bounded memory.
 */
export class NodeChannel implements NodePort, Member {
  readonly name: string;
  readonly index: number;
  readonly #transport: Transport;
  readonly #settings: ChannelSettings;
  readonly #deployment: Deployment;
  readonly #clock: Clock;
  readonly #entropy: Entropy;
  readonly #onState: StateListener;
  readonly #releases = new PendingReleases();
  readonly #pipeline: Pipeline;
  readonly #ttl: RecordedTtl;

  #phase: Phase = "connecting";
  #detail = "not connected yet";
  #connection: NodeConnection | undefined;
  #previous: { connectionId: string; runId: string } | undefined;
  /** Operations that wait for the handshake, in order. */
  #parked: Entry[] = [];
  #failedConnects = 0;
  #timer: Timer | undefined;
  #quarantineTimer: Timer | undefined;
  #refusals: (() => void)[] = [];
  #toldState: ChannelState | undefined;

  constructor(
    index: number,
    transport: Transport,
    settings: ChannelSettings,
    deployment: Deployment,
    clock: Clock,
    entropy: Entropy,
    onState: StateListener,
  ) {
    this.name = transport.name;
    this.index = index;
    this.#transport = transport;
    this.#settings = settings;
    this.#deployment = deployment;
    this.#clock = clock;
    this.#entropy = entropy;
    this.#onState = onState;
    const { nodeCount, maxTtlMs, suspectAfterMs, giveUpAfterMs } = settings;
    this.#ttl = new RecordedTtl(maxTtlMs);
    this.#pipeline = new Pipeline(clock, nodeCount, suspectAfterMs, giveUpAfterMs, {
      acquireProblem: () => this.#acquireProblem(),
      onForgot: () => this.#onForgot(),
      onBroken: (failure) => this.#connection?.end(failure),
      onSuspicion: () => this.#tell(),
    });
    deployment.join(this);
  }

  /** Opens the first connection. Its outcome shows in {@link state}; it is retried for ever. */
  start(): void {
    this.#connect();
  }

  get state(): ChannelState {
    if (this.#phase !== "ready") return this.#phase;
    if (this.#pipeline.isSuspected) return "suspected";
    return this.quarantineLeftMs > 0 ? "quarantined" : "ready";
  }

  /** In a few words, for people. */
  get detail(): string {
    if (this.state === "quarantined") return this.#deployment.quarantineText(this.index);
    return this.state === "suspected" ? UNANSWERED : this.#detail;
  }

  /** It does not vote yet, and will do so without anybody's doing: it is only a matter of time. */
  get isSettling(): boolean {
    if (this.#phase === "ready") return this.state === "quarantined";
    return this.#connection?.isHandshakeDone === true;
  }

  /** Incarnation that batches name. */
  get recordId(): string {
    return this.#pipeline.recordId;
  }

  /** What is left of the quarantine, ms. */
  get quarantineLeftMs(): number {
    return this.#deployment.quarantineLeftMs(this.index);
  }

  /** Releases that wait for the node to come back. */
  get pendingReleaseCount(): number {
    return this.#releases.size;
  }

  submit(operation: Operation, receiver: VoteReceiver, mayHold: boolean): void {
    const entry: Entry = { operation, receiver, index: this.index, mayHold, wasSent: false };
    switch (this.#phase) {
      case "ready":
        this.#submitReady(entry);
        break;
      case "connecting":
        this.#parked.push(entry);
        break;
      case "down":
        this.#keepOrRefuse(entry, "disconnected");
        break;
      case "misconfigured":
        this.#keepOrRefuse(entry, "misconfigured");
        break;
      case "closed":
        this.#refuseLater(() => refuseUnsent(entry, "closed", "the lock manager is closed"));
        break;
    }
  }

  /**
   * Puts a longer ttl on the node's record, without touching what is under way. Resolves when it is there, or
   * when the node cannot be asked now: until the record has it, the node does not vote on keys that live so long.
   */
  async allowTtl(ttlMs: number): Promise<void> {
    if (ttlMs > this.#ttl.wantedMs) {
      this.#ttl.wantedMs = ttlMs;
      this.#connection?.handshake(undefined);
    }
    const isAnswering = this.#phase === "ready" && !this.#pipeline.isSuspected;
    if (this.#ttl.isBehind && isAnswering) await this.#ttl.settled();
  }

  /** Resolves when everything that could be sent is answered, or after `timeoutMs`. */
  drain(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.setTimer(timeoutMs, resolve);
      this.#pipeline.whenIdle(() => {
        timer.cancel();
        resolve();
      });
    });
  }

  /** Closes for good. What is under way is answered; nothing is sent any more. */
  close(): void {
    if (this.#phase === "closed") return;
    this.#phase = "closed";
    this.#detail = "closed";
    this.#ttl.onEnd();
    this.#timer?.cancel();
    this.#quarantineTimer?.cancel();
    this.#connection?.end({ message: "closed", isMisconfigured: false });
    this.#connection = undefined;
    const unanswered = this.#pipeline.reset();
    for (const entry of this.#parked.splice(0)) refuseUnsent(entry, "closed", "closed");
    for (const entry of unanswered.unsent) refuseUnsent(entry, "closed", "closed");
    const kept = this.#releases.takeAll(Number.NEGATIVE_INFINITY);
    for (const entry of [...unanswered.sent, ...kept]) answerUnknown(entry, "closed", "closed");
    this.#tell();
  }

  // The deployment's side

  handshake(openId: string | undefined): void {
    this.#connection?.handshake(openId);
  }

  admit(): void {
    const connection = this.#connection;
    if (connection === undefined || this.#phase === "ready" || !connection.isHandshakeDone) return;
    connection.wasAdmitted = true;
    this.#phase = "ready";
    this.#detail = "connected";
    this.#failedConnects = 0;
    for (const entry of this.#releases.takeAll(this.#clock.steady())) this.#submitReady(entry);
    for (const entry of this.#parked.splice(0)) this.#submitReady(entry, true);
    this.#tell();
  }

  // Connecting

  #connect(): void {
    this.#releases.prune(this.#clock.steady());
    const connection = new NodeConnection(
      this.#transport,
      this.#clock,
      this.#settings.handshakeTimeoutMs,
      {
        request: (openId) => this.#handshakeRequest(openId),
        onHandshake: (handshake) => this.#onHandshake(connection, handshake),
        onEnd: (failure) => this.#onEnd(connection, failure),
      },
    );
    this.#connection = connection;
  }

  #handshakeRequest(openId: string | undefined): HandshakeRequest {
    const { nodeCount, isDurable } = this.#settings;
    const maxTtlMs = this.#ttl.wantedMs;
    const hadRecord = this.#deployment.hasRecord(this.index);
    const newId = this.#entropy.id();
    return { previous: this.#previous, newId, hadRecord, nodeCount, maxTtlMs, isDurable, openId };
  }

  #onHandshake(connection: NodeConnection, handshake: Handshake): void {
    this.#previous = { connectionId: handshake.connectionId, runId: handshake.runId };
    const problem = this.#problemOf(handshake);
    if (problem !== undefined) {
      connection.end({ message: problem, isMisconfigured: true });
      return;
    }
    if (this.#settings.isIncarnationCompared) this.#pipeline.recordId = handshake.record.id;
    this.#pipeline.connection = connection.wire;
    if (this.#phase !== "ready") this.#detail = "waits for the other nodes of a new deployment";
    this.#ttl.onRecord(handshake.record.maxTtlMs);
    this.#deployment.onHandshake(this.index, handshake);
    this.#tell();
  }

  #problemOf(handshake: Handshake): string | undefined {
    const duplicate = this.#deployment.duplicateOf(this.index, handshake.runId);
    if (duplicate !== undefined) return `the same server as node ${duplicate}`;
    return handshake.problems.find(
      ({ kind }) => !(kind === "eviction" && this.#settings.isEvictionAllowed),
    )?.message;
  }

  #onForgot(): void {
    this.#deployment.onForgot(this.index);
    // A handshake on its way was sent behind the batch that found out, or will meet the next one.
    if (this.#connection?.isHandshaking === false) this.#connection.handshake(undefined);
    this.#tell();
  }

  // Losing the connection

  #onEnd(connection: NodeConnection, failure: ConnectionFailure): void {
    if (this.#phase === "closed" || this.#connection !== connection) return;
    const wasReady = this.#phase === "ready";
    const wasSuspected = this.#pipeline.isSuspected;
    this.#connection = undefined;
    this.#ttl.onEnd();
    if (connection.wasAdmitted) this.#releases.onClosed(this.#clock.steady());
    // One prompt try after a healthy connection broke: operations may wait for it. After that,
    // and for a node that had stopped answering, they are refused at once.
    const isWorthWaiting = wasReady && !wasSuspected && !failure.isMisconfigured;
    this.#phase = isWorthWaiting
      ? "connecting"
      : failure.isMisconfigured
        ? "misconfigured"
        : "down";
    this.#detail = failure.message;

    const { sent, unsent } = this.#pipeline.reset();
    const fault = failure.isMisconfigured ? "misconfigured" : "disconnected";
    for (const entry of sent) {
      const again: Entry = { ...entry, wasSent: true };
      if (entry.mayHold && this.#releases.keep(again, this.#clock.steady())) continue;
      answerUnknown(entry, "disconnected", failure.message);
    }
    const waiting = [...unsent, ...this.#parked.splice(0)];
    if (isWorthWaiting) this.#parked = waiting;
    else for (const entry of waiting) this.#keepOrRefuse(entry, fault);

    const delayMs = isWorthWaiting
      ? 0
      : reconnectDelayMs(++this.#failedConnects, this.#entropy.unit());
    this.#timer = this.#clock.setTimer(delayMs, () => this.#connect());
    this.#tell();
  }

  // Operations

  #submitReady(entry: Entry, wasParked = false): void {
    const { operation } = entry;
    const problem =
      (operation.kind === "acquire" ? this.#acquireProblem() : undefined) ??
      this.#ttl.problemOf(operation);
    if (problem !== undefined) {
      this.#refuseLater(() => refuseUnsent(entry, "quarantined", problem));
      return;
    }
    // A release that is owed is written behind its acquire even if nobody answers now.
    if (this.#pipeline.isSuspected && !entry.mayHold) {
      this.#refuseLater(() => refuseUnsent(entry, "suspected", UNANSWERED));
      return;
    }
    this.#pipeline.push(entry, wasParked);
  }

  #acquireProblem(): string | undefined {
    if (this.quarantineLeftMs <= 0) return undefined;
    return this.#deployment.quarantineText(this.index);
  }

  #keepOrRefuse(entry: Entry, fault: "disconnected" | "misconfigured"): void {
    if (entry.mayHold && this.#releases.keep(entry, this.#clock.steady())) return;
    this.#refuseLater(() => refuseUnsent(entry, fault, this.#detail));
  }

  /** Never from within `submit`: the round is still sending to the other nodes. */
  #refuseLater(refuse: () => void): void {
    this.#refusals.push(refuse);
    if (this.#refusals.length > 1) return;
    this.#clock.defer(() => {
      for (const due of this.#refusals.splice(0)) due();
    });
  }

  #tell(): void {
    const { state } = this;
    this.#quarantineTimer?.cancel();
    if (state === "quarantined") {
      this.#quarantineTimer = this.#clock.setTimer(this.quarantineLeftMs, () => this.#tell());
    }
    if (state === this.#toldState) return;
    this.#toldState = state;
    this.#onState(state, this.detail);
  }
}
