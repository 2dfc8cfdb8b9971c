import type { RedisFleet } from "../../src/testing/index.js";
import { connect, createServer, type Server, type Socket } from "node:net";
import { once } from "node:events";

/**
 * A proxy before a server that delays each chunk of the server's replies by a time of its own, so that chunks of a
 * connection overtake each other. Requests keep their order.
 */
export class MixingProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #timers = new Set<NodeJS.Timeout>();
  /** Chunks that were sent before an earlier one. */
  overtakenCount = 0;

  private constructor(targetPort: number, delayMs: () => number) {
    this.#server = createServer((client) => this.#join(client, targetPort, delayMs));
  }

  /** @param delayMs drawn for each chunk of replies */
  static async start(targetPort: number, delayMs: () => number): Promise<MixingProxy> {
    const proxy = new MixingProxy(targetPort, delayMs);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("it does not listen");
    return address.port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #join(client: Socket, port: number, delayMs: () => number): void {
    const server = connect(port, "127.0.0.1");
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => {});
      socket.on("close", () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    client.on("data", (bytes) => void server.write(bytes));
    let [readCount, sentCount] = [0, 0];
    server.on("data", (bytes) => {
      const index = readCount++;
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        if (index !== sentCount++) this.overtakenCount++;
        if (client.writable) client.write(bytes);
      }, delayMs());
      this.#timers.add(timer);
    });
  }
}

/** One before each node of a fleet. */
export class MixingProxies implements AsyncDisposable {
  readonly #proxies: readonly MixingProxy[];

  private constructor(proxies: readonly MixingProxy[]) {
    this.#proxies = proxies;
  }

  /** A chunk of replies may overtake those of the last four milliseconds. */
  static async start(fleet: RedisFleet): Promise<MixingProxies> {
    const delayMs = (): number => 1 + 4 * Math.random();
    const started = fleet.nodes.map(({ port }) => MixingProxy.start(port, delayMs));
    return new MixingProxies(await Promise.all(started));
  }

  get urls(): string[] {
    return this.#proxies.map(({ port }) => `redis://127.0.0.1:${port}`);
  }

  get overtakenCount(): number {
    return this.#proxies.reduce((sum, { overtakenCount }) => sum + overtakenCount, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const proxy of this.#proxies) await proxy[Symbol.asyncDispose]();
  }
}
