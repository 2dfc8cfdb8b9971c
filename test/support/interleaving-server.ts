import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import type { RedisServer } from "../../src/testing/index.js";
import { ATOMICITY_SCRIPT } from "../../src/script/embedded-lua.js";

const SCRIPT = Buffer.from(`$${ATOMICITY_SCRIPT.length}\r\n${ATOMICITY_SCRIPT}\r\n`);

/**
 * A real server behind a proxy, which executes that script as a server does whose scripts are not atomic: each of its
 * reads is a command of its own, among the commands of other connections.
 */
export class InterleavingServer implements AsyncDisposable {
  readonly url: string;
  /** Whether it does so now. */
  interleaves = true;
  /** How often that script was executed. */
  lookCount = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #target: RedisServer;

  private constructor(server: Server, target: RedisServer) {
    this.url = `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.#server = server;
    this.#target = target;
    server.on("connection", (client) => this.#onConnection(client));
  }

  static async start(target: RedisServer): Promise<InterleavingServer> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new InterleavingServer(server, target);
  }

  #onConnection(client: Socket): void {
    const target = connect(this.#target.port, "127.0.0.1");
    for (const socket of [client, target]) {
      this.#sockets.add(socket);
      socket.on("error", () => {}).on("close", () => [client, target].map((one) => one.destroy()));
    }
    target.on("data", (chunk) => client.write(chunk));
    // The script comes alone: no other command is in flight on its connection.
    client.on("data", (chunk: Buffer) => {
      const isLook = chunk.includes(SCRIPT);
      if (isLook) this.lookCount++;
      if (!isLook || !this.interleaves) return target.write(chunk);
      const words = /\$1\r\n1\r\n\$\d+\r\n(\S+)\r\n\$\d+\r\n(\d+)\r\n/;
      const [, key = "", count] = words.exec(chunk.toString()) ?? [];
      void this.#look(key, Number(count)).then((seen) => client.write(`:${seen}\r\n`));
      return true;
    });
  }

  async #look(key: string, count: number): Promise<number> {
    const read = (): Promise<unknown> => this.#target.command("GET", key);
    const first = await read();
    for (let looks = 0; looks < count; looks++) {
      if ((await read()) !== first) return 1;
      await setImmediate();
    }
    return 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }
}
