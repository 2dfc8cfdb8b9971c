import { at, wrongArity } from "./commands/command.js";
import { RedisError } from "./errors.js";
import { OK, type Reply } from "./reply.js";

/** What a server tells the other end of a connection by itself. */
export interface ConnectionListener {
  /** On a channel that this connection has subscribed to. */
  onMessage?(channel: string, message: string): void;
  /** It was killed by another connection, or the server ended it. */
  onClose?(): void;
}

/** The server, as a connection to it sees it. */
interface Server {
  execute(argv: readonly string[]): Reply;
  subscribe(channel: string, onMessage: (message: string) => void): () => void;
}

/** One client's connection to a server in memory. What it sends is run at once. */
export class MemoryConnection {
  readonly id: number;
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
   * As `MemoryRedis.execute`, and beside it what is about connections: CLIENT ID, CLIENT KILL ID,
   * SUBSCRIBE and UNSUBSCRIBE.
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

  /** Ends it, as a client does: the listener is not told. */
  close(): void {
    for (const channel of this.#unsubscribe.keys()) this.#leave(channel);
    this.#open.delete(this.id);
  }

  /** Ends it, as the server does. */
  kill(): void {
    if (!this.isOpen) return;
    this.close();
    this.#listener.onClose?.();
  }

  #client(argv: readonly string[]): Reply {
    const subcommand = at(argv, 1).toUpperCase();
    if (subcommand === "ID" && argv.length === 2) return this.id;
    if (subcommand === "KILL" && argv.length === 4 && at(argv, 2).toUpperCase() === "ID") {
      const other = this.#open.get(Number(argv[3]));
      // Without SKIPME no a connection does not kill itself.
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
