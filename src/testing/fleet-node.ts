import { ClientLinks } from "./client-links.js";
import type { RedisServer, RestartOptions } from "./redis-provider.js";
import type { ServerClock } from "./server-clock.js";
import type { TcpLink } from "./tcp-link.js";

/** One server of a {@link RedisFleet}, with the link in front of it if the fleet has links. */
export class FleetNode implements RedisServer {
  /** Position in the fleet, from 0. */
  readonly index: number;
  readonly #server: RedisServer;
  readonly #link: TcpLink | undefined;
  readonly #clientLinks: ClientLinks;

  constructor(index: number, server: RedisServer, link?: TcpLink) {
    this.index = index;
    this.#server = server;
    this.#link = link;
    const scheme = server.url.startsWith("rediss:") ? "rediss" : "redis";
    this.#clientLinks = new ClientLinks({ targetPort: this.port, scheme });
  }

  /** URL for clients: the link's, or the server's in a fleet without links. */
  get url(): string {
    return this.#link?.url ?? this.#server.url;
  }

  /** Port for clients; see {@link url}. */
  get port(): number {
    return this.#link?.port ?? this.#server.port;
  }

  /** URL of the server itself, bypassing the link. */
  get directUrl(): string {
    return this.#server.url;
  }

  /** Port of the server itself, bypassing the link. */
  get directPort(): number {
    return this.#server.port;
  }

  /**
   * The link that all users of {@link url} share: its faults affect all clients.
   *
   * @throws Error in a fleet that was started without `links`.
   */
  get link(): TcpLink {
    if (this.#link === undefined) throw new Error("this fleet was started without links");
    return this.#link;
  }

  /**
   * A link for a single client, with its own URL and faults. Calls with the same name return the same link. It connects
   * to {@link url}: in a fleet with `links`, the faults of both links apply.
   *
   * @throws Error if the node was stopped.
   */
  linkFor(client: string): Promise<TcpLink> {
    return this.#clientLinks.of(client);
  }

  /** @throws Error unless the server was started with `clock: true`. */
  get clock(): ServerClock {
    const { clock } = this.#server;
    if (clock === undefined) throw new Error("this server was started without `clock: true`");
    return clock;
  }

  get isRunning(): boolean {
    return this.#server.isRunning;
  }

  pause(): Promise<void> {
    return this.#server.pause();
  }

  resume(): Promise<void> {
    return this.#server.resume();
  }

  kill(): Promise<void> {
    return this.#server.kill();
  }

  restart(options?: RestartOptions): Promise<void> {
    return this.#server.restart(options);
  }

  /** Runs one command on the server itself, bypassing the link. */
  command(...args: (string | number)[]): Promise<unknown> {
    return this.#server.command(...args);
  }

  /** Removes all keys (`FLUSHALL`), bypassing the link. */
  async flush(): Promise<void> {
    await this.command("FLUSHALL");
  }

  async stop(): Promise<void> {
    await Promise.all([this.#clientLinks.stop(), this.#link?.stop(), this.#server.stop()]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
