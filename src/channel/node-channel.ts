import type {
  Clock,
  DatedVote,
  Entropy,
  NodePort,
  Timer,
  VoteReceiver,
} from "../coordinator/ports.js";
import { isExcused } from "../protocol/capabilities.js";
import type { NodeReadiness } from "../protocol/quorum.js";
import type { NodeGrant } from "../protocol/node-messages.js";
import type { FaultVote, Operation } from "../protocol/operation.js";
import type { ChannelSettings } from "./channel-settings.js";
import { readinessOf, type ChannelState } from "./channel-state.js";
import type { Deployment, Member } from "./deployment.js";
import { answerUnknown, refuseUnsent, type Entry, type Refusal, type Storing } from "./entry.js";
import { Pipeline, type PipelinedNode } from "./pipeline.js";
import { PendingReleases } from "./pending-releases.js";
import { TtlOnRecord } from "./quarantine.js";
import type { Handshake, NodeConnection } from "./node-connection.js";
import { NodeConnections, type ConnectedNode, type HandshakeQuestion } from "./node-connections.js";
import type { ConnectionFailure, RecordOrder, Transport } from "./transport.js";

/** A node that does not answer costs bounded memory. */
const UNANSWERED: Refusal = {
  fault: "suspected",
  message: "earlier operations are unanswered",
};

/**
 * How often a node that is in use is asked again who it is and how it is configured, ms: somebody may have let it evict
 * keys, or taken away a permission. Sooner where an operation was not permitted.
 */
const [CHECK_MS, CHECK_SOON_MS] = [60_000, 1_000];

const CLOSED: Refusal = { fault: "closed", message: "the lock manager is closed" };

/**
 * One node behind one connection at a time: handshake first, then operations in order. Nothing is sent late, no
 * release that matters is dropped, and a node that does not answer costs bounded memory.
 */
export class NodeChannel implements NodePort, Member, ConnectedNode, PipelinedNode {
  readonly name: string;
  readonly index: number;
  readonly #transport: Transport;
  readonly #settings: ChannelSettings;
  readonly #deployment: Deployment;
  readonly #clock: Clock;
  readonly #connections: NodeConnections;
  readonly #onState: (state: ChannelState, detail: string) => void;
  readonly #releases: PendingReleases;
  /** The last one of an operation; lease clock, ms. */
  #fault: { readonly message: string; readonly atMs: number } | undefined;
  readonly #pipeline: Pipeline;
  readonly #ttl: TtlOnRecord;

  #phase: "connecting" | "ready" | "down" | "misconfigured" | "closed" = "connecting";
  #toldDetail = "";
  #toldState: ChannelState | undefined;
  /** Until its quarantine ends. */
  #timer: Timer | undefined;
  #detail = "not connected yet";
  #isListedTwice = false;
  /** Operations that wait for the handshake, in order. */
  #parked: Entry[] = [];
  readonly #refusals: (() => void)[] = [];
  /** Whether its scripts may notify waiters; assumed until it has said so. */
  mayPublish = true;

  constructor(
    index: number,
    transport: Transport,
    settings: ChannelSettings,
    deployment: Deployment,
    clock: Clock,
    entropy: Entropy,
    onState: (state: ChannelState, detail: string) => void,
  ) {
    this.name = transport.name;
    this.#transport = transport;
    this.index = index;
    this.#settings = settings;
    this.#deployment = deployment;
    this.#clock = clock;
    const { handshakeTimeoutMs } = settings;
    this.#connections = new NodeConnections(transport, clock, entropy, handshakeTimeoutMs, this);
    this.#onState = onState;
    this.#ttl = new TtlOnRecord(settings.raisedTtlMs);
    this.#pipeline = new Pipeline(clock, settings, deployment.votes, this);
    this.#releases = new PendingReleases(clock, {
      isReady: () => this.#phase === "ready",
      push: (entry, wasHeldBack) => this.#pipeline.push(entry, wasHeldBack),
    });
    deployment.join(this);
  }

  /** Opens the first connection. Its outcome shows in {@link state}; it is retried without limit. */
  start(): void {
    this.#connections.connect();
  }

  get state(): ChannelState {
    if (this.#phase !== "ready") return this.#phase;
    if (this.#pipeline.suspicion.isSuspected) return "suspected";
    return this.quarantineLeftMs > 0 ? "quarantined" : "ready";
  }

  /** In a few words, for people. */
  get detail(): string {
    const { state } = this;
    if (state === "suspected") return UNANSWERED.message;
    const { quarantine } = this.#deployment;
    const problem = state === "quarantined" ? quarantine.problemOf(this.index) : undefined;
    const told = state === "ready" ? (this.#transport.problem ?? this.#lastFault) : undefined;
    return problem ?? told ?? this.#detail;
  }

  /** What it has answered to operations although it is connected, for a while. */
  get #lastFault(): string | undefined {
    const { message = "", atMs = Number.NEGATIVE_INFINITY } = this.#fault ?? {};
    const agoMs = this.#clock.now() - atMs;
    return agoMs > CHECK_MS ? undefined : `${message}, ${Math.round(agoMs / 1_000)} s ago`;
  }

  /** For somebody who waits for a quorum. */
  get readiness(): NodeReadiness {
    const isHandshakeDone = this.#connections.current?.isHandshakeDone === true;
    return readinessOf(this.state, isHandshakeDone, this.#isListedTwice);
  }

  /** Incarnation that batches name. */
  get recordId(): string {
    return this.#pipeline.recordId;
  }

  /** Whether its votes on acquires count now. */
  get votesCount(): boolean {
    return this.#deployment.quarantine.problemOf(this.index) === undefined;
  }

  /** Remaining quarantine, ms. */
  get quarantineLeftMs(): number {
    return this.#deployment.quarantine.leftMs(this.index);
  }

  /** How far the node's clock is ahead of ours, ms; undefined if its time is unknown. */
  get clockOffsetMs(): number | undefined {
    return this.#deployment.offsets.of(this.index);
  }

  /** Releases that wait for the node to come back, or to execute them. */
  get pendingReleaseCount(): number {
    return this.#releases.size;
  }

  submit(operation: Operation, receiver: VoteReceiver, mayHold: boolean): void {
    const entry: Entry = { operation, receiver, index: this.index, mayHold, wasSent: false };
    const phase = this.#phase;
    if (phase === "ready") {
      // A release that is owed is written after its acquire even if no answers arrive now.
      if (this.#pipeline.suspicion.isSuspected && !mayHold) this.#refuse(entry, UNANSWERED);
      else this.#pipeline.push(entry);
    } else if (phase === "connecting") this.#parked.push(entry);
    else if (phase === "closed") this.#refuse(entry, CLOSED);
    else this.#keepOrRefuse(entry, phase === "down" ? "disconnected" : "misconfigured");
  }

  voteOf(grant: NodeGrant, ownerId: string): DatedVote | undefined {
    if (this.#phase !== "ready" || !this.votesCount) return undefined;
    const sentMs = this.#pipeline.heardCalls.dateOf(grant, ownerId);
    const { fence, isWaitedFor } = grant;
    if (sentMs === undefined || this.#deployment.votes.judge(fence) !== "plausible")
      return undefined;
    return { vote: { kind: "granted", fence, isWaitedFor }, sentMs };
  }

  /**
   * Raises the ttl on the node's record without affecting operations in flight. Resolves when the record has it, or
   * when the node cannot be asked now: until the record has it, the node does not vote on keys that live so long.
   */
  async allowTtl(ttlMs: number): Promise<void> {
    if (this.#ttl.isMore(ttlMs)) {
      this.#ttl.wantedMs = ttlMs;
      this.#connections.current?.handshake(undefined);
    }
    const isAnswering = this.#phase === "ready" && !this.#pipeline.suspicion.isSuspected;
    if (this.#ttl.isBehind && isAnswering) await this.#ttl.settled();
  }

  /** Resolves when everything that could be sent is answered, or after `timeoutMs`. */
  drain(timeoutMs: number): Promise<void> {
    return this.#pipeline.drain(timeoutMs);
  }

  /** Closes permanently. Operations in flight are answered; nothing is sent any more. */
  close(): void {
    if (this.#phase === "closed") return;
    this.#phase = "closed";
    this.#detail = "closed";
    this.#ttl.onEnd();
    this.#connections.close();
    const unanswered = this.#pipeline.reset();
    const unsent = [...this.#parked.splice(0), ...unanswered.unsent];
    for (const entry of unsent) refuseUnsent(entry, "closed", "closed");
    for (const entry of [...unanswered.sent, ...this.#releases.close()])
      answerUnknown(entry, "closed", "closed");
    this.#tell();
  }

  // The deployment's side

  handshake(order: RecordOrder | undefined): void {
    this.#connections.current?.handshake(order);
  }

  admit(): void {
    const connection = this.#connections.current;
    if (connection === undefined || this.#phase === "ready" || !connection.isHandshakeDone) return;
    connection.wasAdmitted = true;
    this.#phase = "ready";
    this.#detail = "connected";
    this.#connections.onUsed();
    this.#releases.sendAll();
    for (const entry of this.#parked.splice(0)) this.#pipeline.push(entry, true);
    this.#tell();
  }

  // The connections' side

  onTry(): void {
    this.#releases.prune();
  }

  request(order: RecordOrder | undefined): HandshakeQuestion {
    const { isDurable } = this.#settings;
    return this.#deployment.question(this.index, isDurable, this.#ttl.wantedMs, order);
  }

  /** Why the server must not vote; undefined if it may. */
  #problemOf(handshake: Handshake): ConnectionFailure | undefined {
    const twin = this.#deployment.servers.duplicateOf(this.index, handshake);
    if (twin !== undefined) {
      const message = `the same server as \`nodes[${twin}]\`; list each server once`;
      return { message, isMisconfigured: true, isListedTwice: true };
    }
    const problem = handshake.problems.find((each) => !isExcused(each, this.#settings));
    return problem && { message: problem.message, isMisconfigured: true };
  }

  onHandshake(connection: NodeConnection, handshake: Handshake, ownSinceMs?: number): void {
    const problem = this.#problemOf(handshake);
    if (problem !== undefined) {
      connection.end(problem);
      return;
    }
    const { record } = handshake;
    this.mayPublish = handshake.capabilities.pubSub;
    if (record === undefined && this.#deployment.isLost(this.index)) {
      if (this.#phase !== "ready") this.#detail = "has no record: others are asked for what it had";
      this.#deployment.onLost(this.index, handshake.sentSteadyMs);
      this.#tell();
      return;
    }
    const isCompared = this.#settings.isIncarnationCompared || record?.state === "unkept";
    if (isCompared) this.#pipeline.onRecord(record?.id ?? "");
    this.#pipeline.connection = connection;
    this.#pipeline.checkAtMs = this.#clock.now() + CHECK_MS;
    if (this.#phase !== "ready") this.#detail = "waits for the other nodes of a new deployment";
    this.#ttl.onRecord(this.#settings.isLooking ? 0 : (record?.maxTtlMs ?? 0));
    this.#deployment.onHandshake(this.index, handshake, ownSinceMs);
    this.#tell();
  }

  onEnd(connection: NodeConnection, failure: ConnectionFailure, mayRetry: boolean): boolean {
    const { message, isMisconfigured, isOutOfStep = false, isOfHandshake = false } = failure;
    const isAnswering = !this.#pipeline.suspicion.isSuspected && !isOutOfStep && !isOfHandshake;
    const wasHealthy = this.#phase === "ready" && isAnswering;
    this.#ttl.onEnd();
    // One immediate retry after a healthy connection broke: operations may wait for it. After that, and for a node
    // that had stopped answering or answered something else, they are refused immediately.
    const isWorthWaiting = mayRetry && wasHealthy && !isMisconfigured;
    const away = isMisconfigured ? "misconfigured" : "down";
    this.#phase = isWorthWaiting ? "connecting" : away;
    this.#detail = message;
    this.#isListedTwice = failure.isListedTwice === true;
    const { sent, unsent } = this.#pipeline.reset();
    if (isOutOfStep) this.#deployment.onOutOfStep(this.index, message);
    if (connection.wasAdmitted) this.#releases.onClosed(sent);
    const fault = isMisconfigured ? "misconfigured" : "disconnected";
    for (const entry of sent) {
      const again: Entry = { ...entry, wasSent: true };
      if (entry.mayHold && this.#releases.keep(again)) continue;
      answerUnknown(entry, "disconnected", message);
    }
    const waiting = [...unsent, ...this.#parked.splice(0)];
    if (isWorthWaiting) this.#parked = waiting;
    else for (const entry of waiting) this.#keepOrRefuse(entry, fault);

    this.#tell();
    return isWorthWaiting;
  }

  // The pipeline's side

  problemOf({ kind, ttlMs = 0, marginMs = 0 }: Storing): Refusal | undefined {
    const isVote = kind === "acquire" || kind === "size";
    const message = isVote ? this.#deployment.quarantine.problemOf(this.index) : undefined;
    if (message !== undefined) return { fault: "quarantined", message };
    const isStoring = kind === "acquire" || kind === "extend" || kind === "heal";
    return isStoring ? this.#ttl.problemOf(ttlMs - marginMs) : undefined;
  }

  onForgot(): void {
    this.#deployment.quarantine.onForgot(this.index);
    // A handshake in flight was sent after the batch that found out, or the next batch will find out again.
    const { current } = this.#connections;
    if (current?.isHandshaking === false) current.handshake(undefined);
    this.#tell();
  }

  onFault(entry: Entry, { fault, message }: FaultVote): void {
    if (entry.mayHold) this.#releases.onFailed(entry, fault === "suspected");
    const nowMs = this.#clock.now();
    this.#fault = { message, atMs: nowMs };
    // It says which permissions are missing, and whether that is so for all that is asked.
    const checkedMs = this.#pipeline.checkAtMs - CHECK_MS;
    if (fault === "misconfigured" && nowMs - checkedMs > CHECK_SOON_MS) this.onCheckDue();
  }

  onCheckDue(): void {
    this.#pipeline.checkAtMs = Number.POSITIVE_INFINITY;
    this.handshake(undefined);
  }

  onNodeTime(nodeMs: number, roundTripMs: number): void {
    this.#deployment.onNodeTime(this.index, nodeMs, roundTripMs);
  }

  onSuspicion(): void {
    this.#tell();
  }

  /** The state may have changed. Each is told once, so is the end of a quarantine, for which no event arrives. */
  #tell(): void {
    const { state } = this;
    this.#timer?.cancel();
    if (state === "quarantined") {
      this.#timer = this.#clock.setTimer(this.quarantineLeftMs, () => this.#tell());
    }
    const isNewReason = state === "misconfigured" && this.#detail !== this.#toldDetail;
    if (state === this.#toldState && !isNewReason) return;
    [this.#toldState, this.#toldDetail] = [state, this.#detail];
    this.#onState(state, this.detail);
  }

  // Operations

  #keepOrRefuse(entry: Entry, fault: "disconnected" | "misconfigured"): void {
    if (entry.mayHold && this.#releases.keep(entry)) return;
    this.#refuse(entry, { fault, message: this.#detail });
  }

  /** Never from within `submit`: the round is still sending to the other nodes. */
  #refuse(entry: Entry, { fault, message }: Refusal): void {
    this.#refusals.push(() => refuseUnsent(entry, fault, message));
    if (this.#refusals.length > 1) return;
    this.#clock.defer(() => {
      for (const refuse of this.#refusals.splice(0)) refuse();
    });
  }
}
