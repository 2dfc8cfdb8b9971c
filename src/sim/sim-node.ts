import type { Batch, BatchReply, HelloReply, HelloRequest } from "../channel/transport.js";
import type { IncarnationRecord } from "../protocol/incarnation.js";
import { faultVote, type Operation, type Vote } from "../protocol/operation.js";
import type { Choices } from "./choices.js";
import { KeyStore, type StoredKey } from "./key-store.js";
import { helloRecord, helloReply } from "./node-hello.js";
import { runOperation } from "./node-script.js";
import type { ScriptCall } from "./node-steps.js";
import type { SimClock } from "./sim-clock.js";
import type { World } from "./world.js";

/** What arrives at a node, with the way back. */
export type ServerMessage =
  | { readonly kind: "hello"; readonly request: HelloRequest; answer(reply: HelloReply): void }
  | { readonly kind: "kill"; readonly connectionId: string; answer(): void }
  | {
      readonly kind: "batch";
      readonly batch: Batch;
      readonly fenceSlackUs: number;
      readonly fenceRetentionMs: number;
      answer(reply: BatchReply): void;
    };

/** The server's end of one connection. */
export interface ServerSocket {
  readonly connectionId: string;
  /** Nothing of it is executed any more. */
  isKilled: boolean;
  /** Tells the client's end that the connection is gone. */
  reset(): void;
}

/** The server's end of one subscription. */
export interface Subscriber {
  readonly onMessage: (message: string) => void;
  /** The server is gone. */
  readonly reset: () => void;
}

/** One operation as a node runs it; a planted bug puts itself in between. */
export type OperationRunner = (call: ScriptCall, operation: Operation) => Vote;

export interface NodeObserver {
  /** `by` is undefined for an expiry and for keys that were forgotten. */
  onKey(node: SimNode, change: KeyChange): void;
  /** What the node answers to an acquire may have changed: it went down, forgot, or has a record. */
  onRecord(node: SimNode): void;
}

export interface KeyChange {
  readonly key: string;
  readonly before: StoredKey | undefined;
  readonly after: StoredKey | undefined;
  readonly by: Operation | "expire" | "forget";
}

interface Received {
  readonly socket: ServerSocket;
  readonly message: ServerMessage;
}

/** What goes wrong on a node while errors are switched on. */
export interface NodeErrors {
  readonly perMille: number;
  readonly scope: "operation" | "batch";
  /** Of single operations: only those about this name fail. */
  readonly name?: string | undefined;
}

/** What a node has on its disk. */
interface Saved {
  readonly record: IncarnationRecord | undefined;
  readonly keys: readonly (readonly [string, StoredKey])[];
}

/** One simulated Redis master: keys, record, clock, connections, and the faults it can have. */
export class SimNode {
  readonly index: number;
  readonly clock: SimClock;
  state: "up" | "frozen" | "down" = "up";
  record: IncarnationRecord | undefined;
  readonly errors = new Set<NodeErrors>();

  readonly #world: World;
  readonly #choices: Choices;
  readonly #observer: NodeObserver;
  readonly #run: OperationRunner;
  readonly #keys: KeyStore;
  readonly #sockets = new Map<string, ServerSocket>();
  readonly #subscribers = new Map<string, Set<Subscriber>>();
  #runNumber = 1;
  #connectionCount = 0;
  #isScriptCached = false;
  #inbox: Received[] = [];
  #changedBy: KeyChange["by"] = "expire";
  #saved: Saved = { record: undefined, keys: [] };
  #serial = 0;

  constructor(
    index: number,
    clock: SimClock,
    world: World,
    choices: Choices,
    observer: NodeObserver,
    run: OperationRunner = runOperation,
  ) {
    this.index = index;
    this.clock = clock;
    this.#world = world;
    this.#choices = choices;
    this.#observer = observer;
    this.#run = run;
    this.#keys = new KeyStore((key, before, after) => {
      this.#observer.onKey(this, { key, before, after, by: this.#changedBy });
      if (after !== undefined) this.#watchExpiry(after);
    });
  }

  get runId(): string {
    return `n${this.index}.run${this.#runNumber}`;
  }

  get nowMs(): number {
    return Math.floor(this.clock.at(this.#world.nowUs) / 1_000);
  }

  /** Keys that are alive, also while the node is down. */
  liveKeys(): [string, StoredKey][] {
    const now = this.nowMs;
    return [...this.#keys.entries()].filter(([, { expiresAtMs }]) => now <= expiresAtMs);
  }

  /** True instant at which a key is dead, if nothing disturbs the clock. */
  deadAtUs({ expiresAtMs }: StoredKey): number {
    if (expiresAtMs === Number.POSITIVE_INFINITY) return expiresAtMs;
    return this.clock.trueAt((expiresAtMs + 1) * 1_000);
  }

  // Connections

  /** Returns how to take the subscription back; undefined where nobody answers. */
  subscribe(channel: string, subscriber: Subscriber): (() => void) | undefined {
    if (this.state !== "up") return undefined;
    const subscribers = this.#subscribers.get(channel) ?? new Set();
    this.#subscribers.set(channel, subscribers.add(subscriber));
    return () => subscribers.delete(subscriber);
  }

  accept(reset: () => void): ServerSocket {
    const connectionId = `${this.runId}#${++this.#connectionCount}`;
    const socket = { connectionId, isKilled: false, reset };
    this.#sockets.set(connectionId, socket);
    return socket;
  }

  /** Bytes have arrived: a frozen node's kernel keeps them, whoever closes the connection meanwhile. */
  receive(socket: ServerSocket, message: ServerMessage): void {
    if (socket.isKilled) return;
    if (this.state === "frozen") this.#inbox.push({ socket, message });
    else if (this.state === "up") this.#execute(socket, message);
  }

  // Faults

  /** Puts all keys on the disk, as they are now. */
  save(): void {
    if (this.state !== "down") this.#saved = { record: this.record, keys: this.liveKeys() };
  }

  /** Ends the process. What it had stored is kept, or forgotten, or is again as it was saved last. */
  crash(mode: "persisted" | "amnesia" | "snapshot"): void {
    if (this.state === "down") return;
    this.state = "down";
    this.#inbox = [];
    this.#isScriptCached = false;
    if (mode === "amnesia") this.forget();
    else if (mode === "snapshot") this.#goBack(this.#saved);
    const sockets = [...this.#sockets.values()];
    this.#sockets.clear();
    const subscribers = [...this.#subscribers.values()].flatMap((all) => [...all]);
    this.#subscribers.clear();
    for (const { reset } of subscribers) reset();
    for (const socket of sockets) {
      socket.isKilled = true;
      socket.reset();
    }
    this.#observer.onRecord(this);
  }

  restart(): void {
    if (this.state !== "down") return;
    this.state = "up";
    this.#runNumber++;
    this.sweep();
    this.#observer.onRecord(this);
  }

  freeze(): void {
    if (this.state === "up") this.state = "frozen";
  }

  /** Goes on with what has arrived meanwhile, one connection after the other. */
  thaw(): void {
    if (this.state !== "frozen") return;
    this.state = "up";
    const inbox = this.#inbox.splice(0);
    const sockets = [...new Set(inbox.map(({ socket }) => socket))];
    while (sockets.length > 0) {
      const at = this.#choices.pick(sockets.length, `n${this.index} thaw ${this.#serial++}`);
      const [next] = sockets.splice(at, 1);
      for (const { socket, message } of inbox) {
        if (socket === next && !socket.isKilled) this.#execute(socket, message);
      }
    }
  }

  /** Loses all keys (FLUSHALL, a failover to an empty replica) and, with them, its record. */
  forget(): void {
    this.#goBack({ record: undefined, keys: [] });
  }

  #goBack({ record, keys }: Saved): void {
    this.sweep();
    this.record = record;
    this.#changedBy = "forget";
    this.#keys.restore(keys.filter(([, { expiresAtMs }]) => this.nowMs <= expiresAtMs));
    this.#observer.onRecord(this);
  }

  flushScripts(): void {
    this.#isScriptCached = false;
  }

  jump(byMs: number): void {
    this.clock.jump(this.#world.nowUs, byMs * 1_000);
    this.#afterClockChange();
  }

  setRate(ratePpm: number): void {
    this.clock.setRate(this.#world.nowUs, ratePpm);
    this.#afterClockChange();
  }

  /** Buries the keys that are dead by now. */
  sweep(): void {
    this.#changedBy = "expire";
    this.#keys.sweep(this.nowMs);
  }

  #afterClockChange(): void {
    this.sweep();
    for (const [, stored] of this.#keys.entries()) this.#watchExpiry(stored);
    this.#observer.onRecord(this);
  }

  #watchExpiry(stored: StoredKey): void {
    const deadUs = this.deadAtUs(stored);
    if (deadUs < Number.POSITIVE_INFINITY) this.#world.at(deadUs, () => this.sweep());
  }

  // Executing

  #execute(socket: ServerSocket, message: ServerMessage): void {
    switch (message.kind) {
      case "hello": {
        const before = this.record;
        this.record = helloRecord(before, message.request, this.runId, this.nowMs);
        if (this.record !== before) this.#observer.onRecord(this);
        message.answer(helloReply(socket.connectionId, this.record, this.nowMs));
        break;
      }
      case "kill": {
        const victim = this.#sockets.get(message.connectionId);
        if (victim !== undefined) {
          victim.isKilled = true;
          this.#sockets.delete(message.connectionId);
          victim.reset();
        }
        message.answer();
        break;
      }
      case "batch":
        message.answer(this.#runBatch(message.batch, message));
        break;
    }
  }

  #publish(channel: string, message: string): number {
    const subscribers = [...(this.#subscribers.get(channel) ?? [])];
    for (const { onMessage } of subscribers) onMessage(message);
    return subscribers.length;
  }

  #runBatch(
    batch: Batch,
    constants: { readonly fenceSlackUs: number; readonly fenceRetentionMs: number },
  ): BatchReply {
    if (batch.withScript) this.#isScriptCached = true;
    if (!this.#isScriptCached) return { kind: "noScript" };
    this.sweep();
    const nowUs = this.clock.at(this.#world.nowUs);
    const isCompared = batch.recordId !== "";
    const isKnown = !isCompared || batch.recordId === this.record?.id;
    const { fenceSlackUs, fenceRetentionMs } = constants;
    const call: ScriptCall = {
      keys: this.#keys,
      nowUs,
      nowMs: Math.floor(nowUs / 1_000),
      fenceSlackUs,
      fenceRetentionMs,
      isKnown,
      isCompared,
      publish: (channel, message) => this.#publish(channel, message),
    };
    const breakAt = this.#failsBatch(batch.operations.length);
    if (breakAt === 0) {
      return { kind: "error", message: "BUSY running a script", isExecuted: "no" };
    }
    const votes: Vote[] = [];
    for (const operation of batch.operations.slice(0, breakAt)) {
      this.#changedBy = operation;
      const isFailing = this.#failsOperation(operation);
      votes.push(isFailing ? this.#outOfMemory(call, operation) : this.#run(call, operation));
    }
    if (breakAt !== undefined) {
      return { kind: "error", message: "ERR script killed", isExecuted: "unknown" };
    }
    // Only acquires look at the record: what others match proves memory.
    const hasAsked = batch.operations.some(({ kind }) => kind === "acquire");
    return { kind: "votes", votes, isSameIncarnation: isKnown || !hasAsked };
  }

  /** Nothing is stored, but a release lets go of its key before it fails to lift the fence. */
  #outOfMemory(call: ScriptCall, operation: Operation): Vote {
    if (operation.kind === "release") this.#run(call, { ...operation, fence: undefined });
    return faultVote("server", true, "OOM command not allowed");
  }

  /** Before which operation the whole batch breaks off; 0 before anything was executed. */
  #failsBatch(operationCount: number): number | undefined {
    if (!this.#fails("batch")) return undefined;
    return this.#choices.pick(operationCount + 1, `n${this.index} breaks ${this.#serial}`);
  }

  #failsOperation({ keys }: Operation): boolean {
    return this.#fails("operation", keys.name);
  }

  #fails(scope: NodeErrors["scope"], name?: string): boolean {
    return [...this.errors].some((errors) => {
      const isAboutIt = errors.scope === scope && (errors.name ?? name) === name;
      if (!isAboutIt) return false;
      return this.#choices.pick(1_000, `n${this.index} fails ${this.#serial++}`) < errors.perMille;
    });
  }
}
