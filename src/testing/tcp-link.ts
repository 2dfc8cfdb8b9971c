import type { DelayOptions, TcpLinkOptions } from "./options.js";
import { createServer, type Server } from "node:net";
import { number, whole } from "../runtime/validate.js";
import { checkDelayOptions, checkDirection, checkLinkOptions, checkMs } from "./arguments.js";
import { claimPort, type PortClaim } from "./free-port.js";
import { coarseAlarm, preciseAlarm } from "./alarm.js";
import { LinkConnection, type LinkConnectionContext } from "./link-connection.js";
import { noFaults, type LaneFaults, type LinkDirection } from "./link-faults.js";

const BIND_ATTEMPTS = 10;

/**
 * A TCP proxy in front of one server, with faults that can be changed while it runs.
 *
 * Different faults combine, until {@link TcpLink.heal}; a second call of the same method replaces the first. Within one
 * direction of a connection, bytes keep their order, except with {@link TcpLink.mixUpReplies}.
 *
 * All methods throw a TypeError or RangeError for bad arguments, naming the option and the value: with a fault that
 * never occurs, a test would pass.
 */
export class TcpLink implements AsyncDisposable {
  readonly port: number;
  readonly url: string;
  readonly #claim: PortClaim;
  readonly #listener: Server;
  readonly #connections = new Set<LinkConnection>();
  readonly #toServer = noFaults();
  readonly #toClient = noFaults();
  #repliesToDrop = 0;
  #stopped = false;

  private constructor(listener: Server, claim: PortClaim, options: TcpLinkOptions) {
    this.#listener = listener;
    this.#claim = claim;
    this.port = claim.port;
    this.url = `${options.scheme ?? "redis"}://127.0.0.1:${this.port}`;
    const context: LinkConnectionContext = {
      targetPort: options.targetPort,
      toServer: this.#toServer,
      toClient: this.#toClient,
      alarm: options.precise === true ? preciseAlarm : coarseAlarm,
      takeReplyDrop: () => this.#takeReplyDrop(),
      onClosed: (connection) => this.#connections.delete(connection),
    };
    listener.on("connection", (socket) => {
      this.#connections.add(new LinkConnection(socket, context));
    });
  }

  /** Starts a proxy on a free port of 127.0.0.1. */
  static async start(options: TcpLinkOptions): Promise<TcpLink> {
    checkLinkOptions(options);
    for (let attempt = 1; ; attempt++) {
      const listener = createServer({ allowHalfOpen: true });
      // A forgotten link must not keep the host program from ending.
      listener.unref();
      const claim = await claimPort();
      try {
        await listen(listener, claim.port);
        return new TcpLink(listener, claim, options);
      } catch (error) {
        claim.release();
        if (attempt === BIND_ATTEMPTS) throw error;
      }
    }
  }

  /** Number of connections that are open on at least one side. */
  get connectionCount(): number {
    return this.#connections.size;
  }

  /** Delays every chunk by `ms` in each direction. */
  delay(ms: number, options: DelayOptions = {}): void {
    checkMs("ms", ms);
    checkDelayOptions(options);
    const { jitterMs = 0, direction = "both" } = options;
    this.#set(direction, (lane) => Object.assign(lane, { delayMs: ms, jitterMs }));
  }

  /**
   * Simulates packet loss, as it appears over TCP: no data is missing, but each chunk, with the probability `share`,
   * arrives `retransmitMs` later, and all data behind it waits.
   *
   * @param share from 0 to 1
   * @param retransmitMs default: 200, the shortest retransmission timeout of Linux
   */
  lossy(share: number, retransmitMs = 200): void {
    number("share", share, 0, 1);
    checkMs("retransmitMs", retransmitMs);
    this.#set("both", (lane) => Object.assign(lane, { lossShare: share, retransmitMs }));
  }

  /**
   * Drops all bytes of a direction, while connections stay open; new connections are accepted and never served. A
   * connection that lost bytes is reset on {@link TcpLink.heal}, because a real one could not continue either.
   */
  blackhole(direction: LinkDirection = "both"): void {
    this.#set(direction, (lane) => Object.assign(lane, { gate: "drop" }));
  }

  /** Holds all bytes of a direction back, and delivers them, in order, on {@link TcpLink.heal}. */
  hold(direction: LinkDirection = "both"): void {
    this.#set(direction, (lane) => Object.assign(lane, { gate: "hold" }));
  }

  /**
   * Simulates a middlebox that delivers late. Bytes from a client are held back until the client closes or resets its
   * connection. They reach the server `ms` after that; for the server, the connection is still open until then.
   * {@link TcpLink.heal} immediately delivers the bytes of open connections; bytes of closed ones still arrive after
   * `ms`.
   */
  lateDelivery(ms: number): void {
    checkMs("ms", ms);
    this.#set("toServer", (lane) => Object.assign(lane, { gate: "late", lateMs: ms }));
  }

  /** Limits the throughput of each connection, in each direction. At least 1. */
  bandwidth(bytesPerSecond: number): void {
    number("bytesPerSecond", bytesPerSecond, 1);
    this.#set("both", (lane) => Object.assign(lane, { bytesPerSecond }));
  }

  /**
   * Drops the next `count` chunks of replies, each with a reset of its connection: the server has executed the command,
   * and the client cannot know. Replies to the handshake of a client that reconnects count too. 0: no more.
   */
  dropReplies(count: number): void {
    this.#repliesToDrop = whole("count", count, 0, Number.MAX_SAFE_INTEGER);
  }

  /**
   * Delays each chunk of replies by up to `ms`, by a time of its own, so that chunks of a connection overtake each other.
   * TCP does not do that, but a proxy that shares connections among clients may: replies come out of step.
   */
  mixUpReplies(ms: number): void {
    checkMs("ms", ms);
    this.#set("toClient", (lane) => Object.assign(lane, { mixUpMs: ms }));
  }

  /** Sends RST on all current connections. */
  reset(): void {
    for (const connection of this.#connections) connection.reset();
  }

  /** Refuses new connections, and resets the current ones. */
  async refuse(): Promise<void> {
    const closed = this.#listener.listening
      ? new Promise<void>((resolve) => this.#listener.close(() => resolve()))
      : Promise.resolve();
    this.reset();
    await closed;
  }

  /**
   * Ends all faults. After {@link TcpLink.refuse}, listens again on the same port.
   *
   * @throws Error if the link was stopped.
   */
  async heal(): Promise<void> {
    if (this.#stopped) throw new Error("cannot heal a link that was stopped");
    this.#repliesToDrop = 0;
    const open = noFaults();
    for (const lane of [this.#toServer, this.#toClient]) Object.assign(lane, open);
    for (const connection of this.#connections) connection.heal();
    if (!this.#listener.listening) await listen(this.#listener, this.port);
  }

  /** Resets all connections and stops the proxy. Idempotent. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.refuse();
    this.#claim.release();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #set(direction: LinkDirection, change: (lane: LaneFaults) => void): void {
    checkDirection("direction", direction);
    if (direction !== "toClient") change(this.#toServer);
    if (direction !== "toServer") change(this.#toClient);
    for (const connection of this.#connections) connection.update();
  }

  #takeReplyDrop(): boolean {
    if (this.#repliesToDrop <= 0) return false;
    this.#repliesToDrop--;
    return true;
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      resolve();
    });
  });
}
