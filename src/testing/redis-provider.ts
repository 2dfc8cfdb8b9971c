import type { ServerClock } from "./server-clock.js";

/** Paths of the certificate files of a server that only accepts TLS. */
export interface RedisTlsFiles {
  readonly cert: string;
  readonly key: string;
  /** CA file. Needed to ask clients for certificates. */
  readonly ca?: string;
  /** Ask clients for a certificate signed by `ca`. Default: false. */
  readonly requireClientCert?: boolean;
}

/** Setup of one test server. All options have defaults: a plain Redis that keeps its data only in memory. */
export interface RedisServerOptions {
  /** Keep an append-only file. Default: false, so a restart loses all data. */
  readonly appendonly?: boolean;
  /** When the append-only file is fsynced. Default: the server's own (`everysec`). */
  readonly appendfsync?: "always" | "everysec" | "no";
  /** Serve TLS instead of plain TCP. */
  readonly tls?: RedisTlsFiles;
  /** Password of the default user. */
  readonly requirepass?: string;
  /** ACL users, one rule each, such as `"app on >secret ~lock:* +@all"`. */
  readonly users?: readonly string[];
  /** Run in cluster mode (slots are not assigned). Default: false. */
  readonly cluster?: boolean;
  /**
   * Allow {@link RedisServer.clock} to set the server's wall clock. Default: false. Only for local processes on Linux;
   * needs a C compiler.
   */
  readonly clock?: boolean;
  /** Further command line arguments, such as `["--maxmemory", "1mb"]`. */
  readonly extraArgs?: readonly string[];
  /** Credentials for {@link RedisServer.command}. Default: `requirepass`, if given. */
  readonly commandAuth?: { readonly username?: string; readonly password: string };
  /** Timeout of a start, ms. Default: 30_000. */
  readonly startTimeoutMs?: number;
}

/** Options of {@link RedisServer.restart}. */
export interface RestartOptions {
  /**
   * Keep the data directory. Default: true. The process is always killed, so data is only kept with an append-only
   * file.
   */
  readonly keepData?: boolean;
}

/** A Redis server, with the faults that can happen to its process. */
export interface RedisServer extends AsyncDisposable {
  /** Port on 127.0.0.1. A restart does not change it. */
  readonly port: number;
  /** `redis://127.0.0.1:<port>`, or `rediss://` with TLS. It contains no credentials. */
  readonly url: string;
  /** The server's wall clock; undefined unless the server was started with `clock: true`. */
  readonly clock?: ServerClock | undefined;
  /** False after a kill or a stop. A paused server is running. */
  readonly isRunning: boolean;
  /**
   * Freezes the process: its connections stay open, without responses. No-op if it is already paused.
   *
   * @throws Error if the server is not running.
   */
  pause(): Promise<void>;
  /**
   * Continues a paused process. No-op if it is not paused.
   *
   * @throws Error if the server is not running.
   */
  resume(): Promise<void>;
  /** Kills the process with SIGKILL, and waits until it has ended. No-op if it is not running. */
  kill(): Promise<void>;
  /**
   * Kills the process if it is running, and starts it again on the same port.
   *
   * @throws Error if the server was stopped, or does not start.
   */
  restart(options?: RestartOptions): Promise<void>;
  /** Stops the server permanently and removes its data. Idempotent. */
  stop(): Promise<void>;
  /** Runs one command, over a new connection directly to the server, not through a proxy in front of it. */
  command(...args: (string | number)[]): Promise<unknown>;
}

/** A source of Redis servers: local processes, containers, ... */
export interface RedisProvider {
  /** Starts one server and resolves when it accepts connections. */
  start(options?: RedisServerOptions): Promise<RedisServer>;
}
