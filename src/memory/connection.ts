import { at, wrongArity } from "./commands/command.js";
import { RedisError } from "./errors.js";
import { OK, type Reply } from "./reply.js";

/** Events that a server sends to the other end of a connection. */
export interface ConnectionListener {
  /** On a channel that this connection has subscribed to. */
  onMessage?(channel: string, message: string): void;
  /** It was killed by another connection, or the server ended it. */
  onClose?(): void;
}

/** The server's interface to a connection. */
interface Server {
  execute(argv: readonly string[]): Reply;
  subscribe(channel: string, onMessage: (message: string) => void): () => void;
}

/** One client's connection to an in-memory server. Commands run immediately. */
export class MemoryConnection {
  readonly id: number;
  /** Given by CLIENT SETNAME. */
  name = "";
  readonly #redis: Server;
  readonly #open: Map<number, MemoryConnection>;
  readonly #listener: ConnectionListener;
  readonly #unsubscribe = new Map<string, () => void>();

  constructor(
    redis: Server,
    id: number,
    open: Map<number, MemoryConnection>,
    listener: ConnectionListener,
  ) {
    this.id = id;
    this.#redis = redis;
    this.#open = open;
    this.#listener = listener;
    open.set(id, this);
  }

  get isOpen(): boolean {
    return this.#open.has(this.id);
  }

  /**
   * Like `MemoryRedis.execute`, plus the connection commands: CLIENT ID, CLIENT SETNAME, CLIENT LIST ID,
   * CLIENT KILL ID, SUBSCRIBE and UNSUBSCRIBE.
   *
   * @throws Error if it is closed
   */
  execute(argv: readonly string[]): Reply {
    if (!this.isOpen) throw new Error("the connection is closed");
    switch (at(argv, 0).toUpperCase()) {
      case "CLIENT":
        return this.#client(argv);
      case "SUBSCRIBE":
        return this.#subscribe(argv.slice(1));
      case "UNSUBSCRIBE":
        for (const channel of argv.slice(1)) this.#leave(channel);
        return this.#unsubscribe.size;
      default:
        return this.#redis.execute(argv);
    }
  }

  /** Ends it on the client's side: the listener is not called. */
  close(): void {
    for (const channel of this.#unsubscribe.keys()) this.#leave(channel);
    this.#open.delete(this.id);
  }

  /** Ends it on the server's side. */
  kill(): void {
    if (!this.isOpen) return;
    this.close();
    this.#listener.onClose?.();
  }

  #client(argv: readonly string[]): Reply {
    const subcommand = at(argv, 1).toUpperCase();
    if (subcommand === "ID" && argv.length === 2) return this.id;
    if (subcommand === "SETNAME" && argv.length === 3) {
      this.name = at(argv, 2);
      return OK;
    }
    if (subcommand === "LIST" && argv.length === 4 && at(argv, 2).toUpperCase() === "ID") {
      const listed = this.#open.get(Number(argv[3]));
      return listed === undefined ? "" : `id=${listed.id} name=${listed.name}\n`;
    }
    if (subcommand === "KILL" && argv.length === 4 && at(argv, 2).toUpperCase() === "ID") {
      const other = this.#open.get(Number(argv[3]));
      // Without SKIPME no, a connection does not kill itself.
      if (other === undefined || other === this) return 0;
      other.kill();
      return 1;
    }
    throw new RedisError(`ERR unknown subcommand '${at(argv, 1)}'. Try CLIENT HELP.`);
  }

  #subscribe(channels: readonly string[]): Reply {
    if (channels.length === 0) throw wrongArity("subscribe");
    for (const channel of channels) {
      if (this.#unsubscribe.has(channel)) continue;
      const tell = (message: string): void => this.#listener.onMessage?.(channel, message);
      this.#unsubscribe.set(channel, this.#redis.subscribe(channel, tell));
    }
    return OK;
  }

  #leave(channel: string): void {
    this.#unsubscribe.get(channel)?.();
    this.#unsubscribe.delete(channel);
  }
}
