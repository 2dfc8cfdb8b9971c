import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { scanReplies } from "./scan.js";

interface Pending {
  goodCount: number;
  answerCount: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Answered commands are dropped in batches of this size. */
const FORGET_COUNT = 4_096;

/**
 * The minimum work of a client of several nodes: all commands of a tick go to every node in one write of the same
 * bytes, and replies are counted.
 */
export class FanOut {
  readonly #sockets: readonly Socket[];
  readonly #quorum: number;
  /** In the order of sending, which is also the order of each node's replies. */
  readonly #pending: Pending[] = [];
  /** By node: how many of `#pending` it has answered. */
  readonly #answered: number[];
  #outgoing = "";

  private constructor(sockets: readonly Socket[]) {
    this.#sockets = sockets;
    this.#quorum = Math.floor(sockets.length / 2) + 1;
    this.#answered = sockets.map(() => 0);
    sockets.forEach((socket, node) => this.#listen(socket, node));
  }

  /** Connects, and loads the scripts. */
  static async open(urls: readonly string[], scripts: readonly string[]): Promise<FanOut> {
    const sockets = await openSockets(urls);
    for (const socket of sockets) {
      for (const script of scripts) {
        socket.write(`*3\r\n$6\r\nSCRIPT\r\n$4\r\nLOAD\r\n$${script.length}\r\n${script}\r\n`);
        await once(socket, "data");
      }
    }
    return new FanOut(sockets);
  }

  /** Resolves when a quorum of nodes has replied successfully; rejects when that has become impossible. */
  send(command: string): Promise<void> {
    if (this.#outgoing === "") process.nextTick(() => this.#flush());
    this.#outgoing += command;
    return new Promise((resolve, reject) => {
      this.#pending.push({ goodCount: 0, answerCount: 0, resolve, reject });
    });
  }

  #flush(): void {
    const bytes = Buffer.from(this.#outgoing, "latin1");
    this.#outgoing = "";
    for (const socket of this.#sockets) socket.write(bytes);
  }

  #listen(socket: Socket, node: number): void {
    let rest: Buffer = Buffer.alloc(0);
    socket.on("data", (chunk: Buffer) => {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      rest = scanReplies(bytes, (isGood) => this.#onReply(node, isGood));
      this.#forget();
    });
  }

  #onReply(node: number, isGood: boolean): void {
    const at = this.#answered[node] ?? 0;
    this.#answered[node] = at + 1;
    const pending = this.#pending[at];
    if (pending === undefined) throw new Error("a reply to nothing");
    pending.answerCount++;
    if (isGood && ++pending.goodCount === this.#quorum) pending.resolve();
    const isOver = pending.answerCount === this.#sockets.length;
    if (isOver && pending.goodCount < this.#quorum) pending.reject(new Error("no quorum"));
  }

  #forget(): void {
    if ((this.#answered[0] ?? 0) < FORGET_COUNT) return;
    const least = Math.min(...this.#answered);
    this.#pending.splice(0, least);
    this.#answered.forEach((count, node) => (this.#answered[node] = count - least));
  }
}

/** One connected socket per node. */
export function openSockets(urls: readonly string[]): Promise<Socket[]> {
  return Promise.all(
    urls.map(async (url) => {
      const { hostname, port } = new URL(url);
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      await once(socket, "connect");
      return socket;
    }),
  );
}
