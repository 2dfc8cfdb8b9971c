import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** In front of a server, and changes what it replies. */
export class AlteringProxy implements AsyncDisposable {
  readonly url: string;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;

  /** @param alter changes a piece of a reply, in latin1 */
  static async start(port: number, alter: (text: string) => string): Promise<AlteringProxy> {
    const sockets = new Set<Socket>();
    const server = createServer((client) => {
      const upstream = connect({ port, host: "127.0.0.1" });
      for (const [socket, other] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        sockets.add(socket);
        socket.on("error", () => {}).once("close", () => other.destroy());
      }
      client.on("data", (chunk) => upstream.write(chunk));
      upstream.on("data", (chunk: Buffer) => {
        client.write(Buffer.from(alter(chunk.toString("latin1")), "latin1"));
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new AlteringProxy(server, sockets, (server.address() as AddressInfo).port);
  }

  private constructor(server: Server, sockets: Set<Socket>, port: number) {
    this.#server = server;
    this.#sockets = sockets;
    this.url = `redis://127.0.0.1:${port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }
}
