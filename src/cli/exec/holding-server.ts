import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HoldingAnswer, HoldingQuestion } from "../holding.js";
import type { SocketRequest } from "../holding-socket.js";

type Answer = (question: HoldingQuestion) => Promise<HoldingAnswer>;

/** Longer than any question, in characters. */
const MAX_LENGTH = 65_536;

/**
 * Tells the command whether its lock is held: it is not given the passwords of the nodes, so it cannot ask them itself.
 * Only for processes of the same user: a socket of mode 0600 in a directory of mode 0700.
 */
export class HoldingServer implements Disposable {
  readonly #deployment: string;
  readonly #answer: Answer;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly dir: string;
  readonly path: string;

  /**
   * @param deployment as the command is told; questions about another are not answered
   * @returns undefined if there is no place for a socket
   */
  static async open(deployment: string, answer: Answer): Promise<HoldingServer | undefined> {
    let dir: string | undefined;
    try {
      dir = mkdtempSync(join(tmpdir(), "quorate-"));
      const opened = new HoldingServer(deployment, answer, dir);
      await opened.#listen();
      return opened;
    } catch {
      // A full or read-only disk, or a path that is too long for a socket.
      if (dir !== undefined) remove(dir);
      return undefined;
    }
  }

  private constructor(deployment: string, answer: Answer, dir: string) {
    this.#deployment = deployment;
    this.#answer = answer;
    this.dir = dir;
    this.path = join(dir, "held");
    this.#server = createServer((socket) => this.#serve(socket));
  }

  [Symbol.dispose](): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    remove(this.dir);
  }

  async #listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(this.path, resolve);
    });
    chmodSync(this.path, 0o600);
    this.#server.on("error", () => {});
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    socket.on("error", () => {});
    socket.setEncoding("utf8");
    let text = "";
    socket.on("data", (chunk) => {
      if (text.includes("\n")) return;
      text += String(chunk);
      if (text.includes("\n")) void this.#reply(socket, text);
      else if (text.length > MAX_LENGTH) socket.destroy();
    });
  }

  /** Without an answer, the command asks the nodes itself, or learns why it cannot. */
  async #reply(socket: Socket, text: string): Promise<void> {
    try {
      const { deployment, name, token, fingerprint } = JSON.parse(text) as SocketRequest;
      if (deployment !== this.#deployment) return void socket.end();
      const answer = await this.#answer({ name, token, fingerprint });
      socket.end(`${JSON.stringify(answer)}\n`);
    } catch {
      socket.end();
    }
  }
}

function remove(dir: string): void {
  rmSync(dir, { recursive: true, force: true });
}
