import { AbstractConnector } from "ioredis";
import { Duplex } from "node:stream";
import type { RedisLike } from "../../src/redis/client-types.js";
import { HANDSHAKE_SCRIPT } from "../../src/script/embedded-lua.js";

/** What a fake client does: connects and grants, refuses connections, or keeps silent. */
export type FakeBehaviour = "grants" | "refuses" | "holds" | "silent";

/**
 * A client whose options lead to a server within this process that has an answer for everything: a
 * manager can be tested without any network.
 */
export class FakeClient implements RedisLike {
  readonly isCluster = false;
  readonly options: object;
  behaviour: FakeBehaviour;
  /** What was asked of it, in order, in the words of the script. */
  readonly sent: string[] = [];
  /** The owners whose lock it holds: a release may be sent again over another connection, an attempt be rolled back. */
  readonly held = new Set<string>();
  openCount = 0;
  /** Connections that are open now. */
  connectionCount = 0;
  /** What a scan finds, portion by portion, or the error that it is answered with. */
  keys: readonly (readonly string[])[] | string = [[]];
  /** What a scan is answered with instead, as bytes of the protocol. */
  scanReply: string | undefined;
  /** How long an answer to what comes from now on takes, ms. */
  answerDelayMs = 0;
  /** What batches say of clocks and fences: how far a proposal may be off, us, and a fence's life, ms. */
  constants: readonly string[] = [];

  constructor(index: number, behaviour: FakeBehaviour = "grants") {
    const open = (): FakeSocket => {
      const id = ++this.openCount;
      if (this.behaviour === "refuses") throw new Error("connect ECONNREFUSED");
      this.connectionCount++;
      const socket = new FakeSocket(
        (command) => this.#answer(command, id),
        (send) =>
          void (this.answerDelayMs > 0 ? setTimeout(send, this.answerDelayMs) : setImmediate(send)),
      );
      return socket.once("close", () => this.connectionCount--);
    };
    class Connector extends AbstractConnector {
      constructor() {
        super(0);
      }

      async connect(): Promise<never> {
        this.stream = open() as never;
        return this.stream;
      }
    }
    this.options = { host: `fake${index}`, port: 6_379, Connector };
    this.behaviour = behaviour;
  }

  /** Nobody is to ask a client for a copy of itself. */
  duplicate(): never {
    throw new Error("duplicated");
  }

  #answer([name = "", first = "", ...rest]: readonly string[], id: number): string | undefined {
    switch (`${name} ${first}`.toLowerCase()) {
      case "client setname":
        return "+OK\r\n";
      case "client id":
      case "client kill":
        return `:${id}\r\n`;
      case "client list":
        return bulk("");
      default:
        if (name === "subscribe") return `*3\r\n${bulk(name)}${bulk(first)}:1\r\n`;
        if (name === "eval" && first === HANDSHAKE_SCRIPT) return this.#handshake(rest.at(-1));
        if (name === "eval" || name === "evalsha") return this.#batch(rest);
        if (name === "scan") return this.#scan(first, rest);
        return `-ERR unknown command '${name}'\r\n`;
    }
  }

  /** A portion; which of its keys match the pattern is the test's choice. */
  #scan(cursor: string, [, pattern = ""]: readonly string[]): string {
    this.sent.push(`scan ${cursor} ${pattern}`);
    if (this.scanReply !== undefined) return this.scanReply;
    if (typeof this.keys === "string") return `-${this.keys}\r\n`;
    const next = (Number(cursor) + 1) % this.keys.length;
    return `*2\r\n${bulk(String(next))}${array(this.keys[Number(cursor)] ?? [])}`;
  }

  /** A master that was opened long ago. */
  #handshake(number: string | undefined): string {
    const { host: runId } = this.options as { host: string };
    const capabilities = "infoInScript role=master runId undeclaredKeys atomicScripts pubSub";
    const about = [Number(number), runId, String(Date.now()), "", capabilities];
    return array([...about, "record", runId, "open", "0", "0", "3", "60000", "0", "record", "0"]);
  }

  /** A batch, as the arguments of the script say. */
  #batch([keyCount, ...rest]: readonly string[]): string | undefined {
    const args = rest.slice(Number(keyCount));
    const [, ...constants] = args.splice(0, 2);
    this.constants = constants;
    const answers: (string | number)[] = [Number(args.shift())];
    while (args.length > 0) {
      const [size, step = "", , , , argumentCount, proposal] = args.splice(0, 7);
      for (let n = 0; n < Number(size); n++) {
        const [owner = "", , fence = proposal] = args.splice(0, Number(argumentCount));
        this.sent.push(step);
        const isAcquire = step === "acquire";
        if (this.behaviour === "holds" && isAcquire) {
          answers.push("held 5000 x9_Kq2  somebody");
          continue;
        }
        if (isAcquire) this.held.add(owner);
        else if (step === "release") this.held.delete(owner);
        answers.push(isAcquire && fence !== "" ? "7" : 0);
      }
    }
    return this.behaviour === "silent" ? undefined : array(answers);
  }
}

/** The socket of a connection to somebody who answers commands, or does not. */
class FakeSocket extends Duplex {
  readonly #answer: (command: readonly string[]) => string | undefined;
  readonly #later: (send: () => void) => void;
  readonly #unsent: { readonly answer: string; isDue: boolean }[] = [];
  #received = "";

  constructor(
    answer: (command: readonly string[]) => string | undefined,
    later: (send: () => void) => void,
  ) {
    super();
    this.#answer = answer;
    this.#later = later;
  }

  setNoDelay(): void {}
  setKeepAlive(): void {}

  override _read(): void {}

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#received += chunk.toString("latin1");
    for (;;) {
      const [command, length] = commandIn(this.#received);
      if (command === undefined) break;
      this.#received = this.#received.slice(length);
      const answer = this.#answer(command);
      if (answer !== undefined) this.#send(answer);
    }
    done();
  }

  /** In order, however much later each is. */
  #send(answer: string): void {
    const due = { answer, isDue: false };
    this.#unsent.push(due);
    this.#later(() => {
      due.isDue = true;
      while (this.#unsent[0]?.isDue === true) {
        const first = this.#unsent.shift();
        if (!this.destroyed) this.push(first?.answer);
      }
    });
  }
}

/** The command that the text begins with, and its length; nothing if there is no whole one. */
function commandIn(text: string): [command: string[] | undefined, length: number] {
  const head = /^\*(\d+)\r\n/.exec(text);
  let at = head?.[0].length ?? 0;
  const words: string[] = [];
  while (words.length < Number(head?.[1] ?? Number.NaN)) {
    const size = /^\$(\d+)\r\n/.exec(text.slice(at, at + 20));
    if (size === null) return [undefined, 0];
    const from = at + size[0].length;
    at = from + Number(size[1]) + 2;
    if (text.length < at) return [undefined, 0];
    words.push(text.slice(from, at - 2));
  }
  return [head === null ? undefined : words, at];
}

function bulk(text: string): string {
  return `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
}

function array(values: readonly (string | number)[]): string {
  const items = values.map((value) => (typeof value === "number" ? `:${value}\r\n` : bulk(value)));
  return `*${values.length}\r\n${items.join("")}`;
}
