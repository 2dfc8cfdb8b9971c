import type { Batch, HandshakeRequest } from "../src/channel/transport.js";
import { bytesOf, textOf } from "../src/memory/bytes.js";
import { parseNodeList } from "../src/protocol/node-list.js";
import type { IncarnationRecord } from "../src/protocol/record.js";
import type { Choices } from "./choices.js";
import type { ForeignStep, KeyChange, SavedKeys } from "./node-keys.js";
import type { SimClock } from "./sim-clock.js";
import {
  SimServer,
  type BatchTrouble,
  type CommandReply,
  type Lie,
  type SimConstants,
} from "./sim-server.js";
import type { LastReplies } from "./sim-proxy.js";
import type { StoredKey } from "./stored-key.js";
import type { World } from "./world.js";

/** A message that arrives at a node. */
export type ServerMessage =
  | { readonly kind: "handshake"; readonly request: HandshakeRequest }
  | { readonly kind: "kill"; readonly connectionId: string }
  | { readonly kind: "command"; readonly argv: readonly string[]; readonly by: ForeignStep }
  | { readonly kind: "batch"; readonly batch: Batch; readonly constants: SimConstants };

/** The server's end of one connection. */
export interface ServerSocket {
  readonly connectionId: string;
  name: string;
  /** Nothing received on it is executed any more. */
  isKilled: boolean;
  /** Tells the client's end that the connection is closed. */
  reset(): void;
}

/** The server's end of one subscription. */
export interface Subscriber {
  readonly onMessage: (message: string) => void;
  /** Called when the server is gone. */
  readonly reset: () => void;
  /** From now on it hears what is published, and the server does not know. */
  readonly onRelayed: () => void;
}

export interface NodeObserver {
  onKey(node: SimNode, change: KeyChange): void;
  /** The node's answer to an acquire may have changed: it went down, lost its data, or has a new record. */
  onRecord(node: SimNode): void;
  /** The list of nodes on its record may have changed. */
  onListed(node: SimNode): void;
}

interface Received {
  readonly socket: ServerSocket;
  readonly message: ServerMessage;
  readonly answer: (reply: CommandReply) => void;
}

/** What fails on a node while errors are enabled. */
export interface NodeErrors {
  readonly perMille: number;
  readonly scope: "operation" | "batch";
  /** Single operations only: only those on this name fail. */
  readonly name?: string | undefined;
}

/** An ownerId, a permit before it or not. */
const OWNER = /^(?:\d+:)?(?:\d+~)?([\w-]{6})[\w-]{16}(?:[.:]|$)/;

/** One simulated Redis master: keys, record, clock, connections, and the faults it can have. */
export class SimNode {
  readonly index: number;
  readonly clock: SimClock;
  state: "up" | "frozen" | "down" = "up";
  readonly errors = new Set<NodeErrors>();
  readonly lastReplies: LastReplies = new Map();
  /** Fences that it answers with, whatever it has. */
  readonly lies = new Set<Lie>();

  readonly #world: World;
  readonly #choices: Choices;
  readonly #observer: NodeObserver;
  readonly #server: SimServer;
  readonly #sockets = new Map<string, ServerSocket>();
  /** With the function that removes each. */
  readonly #subscribers = new Map<Subscriber, () => void>();
  readonly #relayed = new Set<Subscriber>();
  #runNumber = 1;
  #connectionCount = 0;
  #inbox: Received[] = [];
  /** The data on its disk. */
  #saved: SavedKeys = [];
  #serial = 0;

  constructor(
    index: number,
    clock: SimClock,
    world: World,
    choices: Choices,
    observer: NodeObserver,
  ) {
    this.index = index;
    this.clock = clock;
    this.#world = world;
    this.#choices = choices;
    this.#observer = observer;
    const onChange = (change: KeyChange): void => {
      observer.onKey(this, change);
      if (change.after !== undefined) this.#watchExpiry(change.after);
    };
    this.#server = new SimServer(() => clock.at(world.nowUs), onChange);
  }

  get record(): IncarnationRecord | undefined {
    return this.#server.record;
  }

  /** The names of the nodes that it has on record; undefined if there are none. */
  get listed(): readonly string[] | undefined {
    return parseNodeList(this.#server.nodeList)?.map(({ name }) => name);
  }

  get runId(): string {
    return `n${this.index}.run${this.#runNumber}`;
  }

  get nowMs(): number {
    return Math.floor(this.clock.at(this.#world.nowUs) / 1_000);
  }

  /**
   * True instant at which a key, or one of several holders in it, expires, if nothing disturbs the clock. It exists
   * through the whole of its last millisecond.
   */
  deadAtUs({ expiresAtMs }: Pick<StoredKey, "expiresAtMs">): number {
    if (expiresAtMs === Number.POSITIVE_INFINITY) return expiresAtMs;
    return this.clock.trueAt((expiresAtMs + 1) * 1_000);
  }

  // Connections

  /** Returns how to unsubscribe; undefined if the node does not answer. */
  subscribe(channel: string, subscriber: Subscriber): (() => void) | undefined {
    if (this.state !== "up") return undefined;
    const unsubscribe = this.#server.redis.subscribe(
      bytesOf(channel),
      (message) => subscriber.onMessage(textOf(message)),
      () => !this.#relayed.has(subscriber),
    );
    this.#subscribers.set(subscriber, unsubscribe);
    return () => {
      this.#subscribers.delete(subscriber);
      this.#relayed.delete(subscriber);
      unsubscribe();
    };
  }

  accept(reset: () => void): ServerSocket {
    const connectionId = `${this.runId}#${++this.#connectionCount}`;
    const socket = { connectionId, name: "", isKilled: false, reset };
    this.#sockets.set(connectionId, socket);
    return socket;
  }

  /** Data has arrived: the kernel of a frozen node keeps it even if the connection is closed meanwhile. */
  receive(received: Received): void {
    if (received.socket.isKilled) return;
    if (this.state === "frozen") this.#inbox.push(received);
    else if (this.state === "up") this.#answer(received);
  }

  // Faults

  /** Saves all keys to disk, as they are now. */
  save(): void {
    if (this.state === "down") return;
    this.sweep();
    this.#saved = this.#server.keys.save();
  }

  /** Ends the process. Its data is kept, lost, or back at the last save. */
  crash(mode: "persisted" | "amnesia" | "snapshot"): void {
    if (this.state === "down") return;
    this.state = "down";
    this.#inbox = [];
    this.flushScripts();
    if (mode === "amnesia") this.forget();
    else if (mode === "snapshot") this.#goBack(this.#saved);
    const sockets = [...this.#sockets.values()];
    this.#sockets.clear();
    const subscribers = [...this.#subscribers];
    this.#subscribers.clear();
    for (const [, unsubscribe] of subscribers) unsubscribe();
    for (const [{ reset }] of subscribers) reset();
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

  /** Continues with what has arrived meanwhile, one connection after the other. */
  thaw(): void {
    if (this.state !== "frozen") return;
    this.state = "up";
    const inbox = this.#inbox.splice(0);
    const sockets = [...new Set(inbox.map(({ socket }) => socket))];
    while (sockets.length > 0) {
      const at = this.#choices.pick(sockets.length, `n${this.index} thaw ${this.#serial++}`);
      const [next] = sockets.splice(at, 1);
      for (const received of inbox) {
        if (received.socket === next && !next.isKilled) this.#answer(received);
      }
    }
  }

  /** Loses all keys (FLUSHALL, a failover to an empty replica), including its record. */
  forget(): void {
    this.#goBack([]);
  }

  /** What an operator does once a list is not used any more. */
  deleteList(): void {
    this.#server.deleteNodeList();
    this.#observer.onListed(this);
  }

  #goBack(keys: SavedKeys): void {
    this.sweep();
    this.#server.keys.restore(keys);
    this.#server.readRecord();
    this.#observer.onRecord(this);
    this.#observer.onListed(this);
  }

  flushScripts(): void {
    this.#server.redis.scripts.flush();
  }

  /** What others see of the owners is enough to write to all who listen that their locks have ended. */
  forge(count: number): void {
    if (this.state !== "up") return;
    const beginnings = [...this.#server.keys.watched()]
      .flatMap(({ text, members = [] }) => [text, ...members.map(([member]) => textOf(member))])
      .flatMap((text) => OWNER.exec(text)?.[1] ?? []);
    for (let times = 0; times < count; times++) {
      for (const [subscriber] of this.#subscribers)
        for (const beginning of beginnings) subscriber.onMessage(`lost ${beginning}`);
    }
  }

  /**
   * As if it had just taken over from another server, which is its replica now: whoever listens goes on to do so there,
   * until it finds out.
   */
  relay(): void {
    for (const subscriber of this.#subscribers.keys()) {
      this.#relayed.add(subscriber);
      subscriber.onRelayed();
    }
  }

  endRelay(): void {
    for (const { reset } of this.#relayed) reset();
  }

  jump(byMs: number): void {
    this.clock.jump(this.#world.nowUs, byMs * 1_000);
    this.#afterClockChange();
  }

  setRate(ratePpm: number): void {
    this.clock.setRate(this.#world.nowUs, ratePpm);
    this.#afterClockChange();
  }

  /** Removes the keys that have expired. */
  sweep(): void {
    this.#server.sweep();
  }

  #afterClockChange(): void {
    this.sweep();
    for (const stored of this.#server.keys.watched()) this.#watchExpiry(stored);
    this.#observer.onRecord(this);
  }

  #watchExpiry(stored: StoredKey): void {
    const deadUs = this.deadAtUs(stored);
    if (deadUs < Number.POSITIVE_INFINITY) this.#world.at(deadUs, () => this.sweep());
  }

  // Execution

  #answer({ socket, message, answer }: Received): void {
    answer(this.#execute(socket, message));
  }

  #execute(socket: ServerSocket, message: ServerMessage): CommandReply {
    switch (message.kind) {
      case "handshake":
        return this.#untrue({ value: this.#handshake(socket, message.request) });
      case "kill": {
        const victim = this.#sockets.get(message.connectionId);
        if (victim === undefined) return { value: 0 };
        victim.isKilled = true;
        this.#sockets.delete(message.connectionId);
        victim.reset();
        return { value: 1 };
      }
      case "command":
        this.sweep();
        return this.#server.command(message.argv, message.by);
      case "batch":
        return this.#untrue(this.#runBatch(message.batch, message.constants));
    }
  }

  /** Its commands travel together: CLIENT ID, CLIENT SETNAME and CLIENT LIST with the script. */
  #handshake(socket: ServerSocket, request: HandshakeRequest): unknown {
    const before = this.record;
    socket.name = request.connectionName;
    const about = this.#server.handshake(request, this.runId);
    if (!isSameRecord(before, this.record)) this.#observer.onRecord(this);
    this.#observer.onListed(this);
    const listed = this.#sockets.get(request.previous?.connectionId ?? "");
    const list = listed === undefined ? "" : `id=${listed.connectionId} name=${listed.name}\n`;
    return [socket.connectionId, list, about];
  }

  #runBatch(batch: Batch, constants: SimConstants): CommandReply {
    const { operations } = batch;
    this.sweep();
    const breakAt = this.#breaksAt(operations.length);
    if (breakAt === 0) {
      return { error: "BUSY running a script" };
    }
    const begun =
      breakAt === undefined ? batch : { ...batch, operations: operations.slice(0, breakAt) };
    const trouble = this.#trouble();
    const reply = this.#server.batch(begun, constants, trouble);
    if (breakAt === undefined || "error" in reply) return reply;
    return { error: "ERR script killed" };
  }

  #untrue(reply: CommandReply): CommandReply {
    const [lie] = this.lies;
    return lie === undefined || "error" in reply ? reply : { ...reply, lie };
  }

  /** The operation before which the batch breaks off; 0 before anything was executed. */
  #breaksAt(operationCount: number): number | undefined {
    if (this.#errorsNow("batch").length === 0) return undefined;
    return this.#choices.pick(operationCount + 1, `n${this.index} breaks ${this.#serial}`);
  }

  /** Errors on one name stand for an exhausted fence, all others for lack of memory. */
  #trouble(): BatchTrouble {
    const names = this.#errorsNow("operation").map(({ name }) => name);
    return {
      isOutOfMemory: names.includes(undefined),
      spoiltNames: [...new Set(names.filter((name) => name !== undefined))],
    };
  }

  #errorsNow(scope: NodeErrors["scope"]): NodeErrors[] {
    return [...this.errors].filter((errors) => {
      if (errors.scope !== scope) return false;
      return this.#choices.pick(1_000, `n${this.index} fails ${this.#serial++}`) < errors.perMille;
    });
  }
}

function isSameRecord(
  left: IncarnationRecord | undefined,
  right: IncarnationRecord | undefined,
): boolean {
  if (left === undefined || right === undefined) return left === right;
  return (
    left.id === right.id &&
    left.runId === right.runId &&
    left.state === right.state &&
    left.writtenMs === right.writtenMs &&
    left.nodeCount === right.nodeCount &&
    left.maxTtlMs === right.maxTtlMs
  );
}
