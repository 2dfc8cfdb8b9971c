import type { ServerClock } from "./server-clock.js";

/** Certificate files for a server that speaks TLS only. */
export interface RedisTlsFiles {
  readonly cert: string;
  readonly key: string;
  /** With a CA file, clients may be asked for certificates. */
  readonly ca?: string;
  /** Ask clients for a certificate signed by `ca`. Default: false. */
  readonly requireClientCert?: boolean;
}

/** How one test server is set up. Everything is optional: the default is a bare, memory-only Redis. */
export interface RedisServerOptions {
  /** Keep an append-only file. Default: false, so a restart forgets everything. */
  readonly appendonly?: boolean;
  /** When the append-only file is fsynced. Default: the server's own (`everysec`). */
  readonly appendfsync?: "always" | "everysec" | "no";
  /** Serve TLS instead of plain TCP. */
  readonly tls?: RedisTlsFiles;
  /** Password of the default user. */
  readonly requirepass?: string;
  /** ACL users, one rule each, such as `"app on >secret ~lock:* +@all"`. Not together with `aclfile`. */
  readonly users?: readonly string[];
  /** Path of an ACL file. */
  readonly aclfile?: string;
  /** Run in cluster mode (slots are not assigned). Default: false. */
  readonly cluster?: boolean;
  /**
   * Let {@link RedisServer.clock} set the server's wall clock. Default: false. Only for local
   * processes, on Linux, where there is a C compiler.
   */
  readonly clock?: boolean;
  /** Further command line arguments, such as `["--maxmemory", "1mb"]`. */
  readonly extraArgs?: readonly string[];
  /** Credentials that {@link RedisServer.command} uses. Default: `requirepass`, if given. */
  readonly commandAuth?: { readonly username?: string; readonly password: string };
  /** How long a start may take, in ms. Default: 10000. */
  readonly startTimeoutMs?: number;
}

/** What a restart keeps. */
export interface RestartOptions {
  /**
   * Keep the data directory. Default: true. The process itself is always killed, so only
   * an append-only file carries anything over.
   */
  readonly keepData?: boolean;
}

/** One running Redis server and the faults that can happen to its process. */
export interface RedisServer extends AsyncDisposable {
  /** Port on 127.0.0.1; the same over all restarts. */
  readonly port: number;
  /** `redis://127.0.0.1:<port>`, or `rediss://` with TLS. It carries no credentials. */
  readonly url: string;
  /** The server's wall clock; undefined unless the server was started with `clock: true`. */
  readonly clock?: ServerClock | undefined;
  /** False while killed or stopped; a paused server is running. */
  readonly isRunning: boolean;
  /** Freezes the process; its connections stay open and unanswered. No-op when it is frozen. */
  pause(): Promise<void>;
  /** Lets a paused process go on. No-op when it is not paused. */
  resume(): Promise<void>;
  /** Kills the process without warning and waits until it is gone. No-op when not running. */
  kill(): Promise<void>;
  /** Kills the process if it runs, and starts it again on the same port. */
  restart(options?: RestartOptions): Promise<void>;
  /** Stops the server permanently and removes its data. Idempotent. */
  stop(): Promise<void>;
  /** Runs one command over a connection of its own, past any proxy in front of the server. */
  command(...args: (string | number)[]): Promise<unknown>;
}

/** A way to get Redis servers: local processes, containers, ... */
export interface RedisProvider {
  /** Starts one server and resolves when it accepts connections. */
  start(options?: RedisServerOptions): Promise<RedisServer>;
}
