import type { LinkDirection } from "./link-faults.js";
import type { RedisProvider, RedisServerOptions } from "./redis-provider.js";

/** Names of the built-in providers. */
export type ProviderName = "auto" | "process" | "docker";

/** Options of `RedisFleet.start`. */
export interface FleetOptions {
  /** Number of servers, from 1 to 100. Default: 5. */
  readonly nodes?: number;
  /** Put a `TcpLink` in front of every server. Default: false. */
  readonly links?: boolean;
  /** Setup of the servers: one for all, or a function of the server's index. Default: memory only. */
  readonly server?: RedisServerOptions | ((index: number) => RedisServerOptions);
  /**
   * Where the servers come from: local processes, Docker, or a provider of your own. Default: `"auto"`, which uses
   * local processes if a server program is found, else Docker.
   */
  readonly provider?: ProviderName | RedisProvider;
}

/** Options of `RedisProcess.start`. */
export interface RedisProcessOptions extends RedisServerOptions {
  /** Server program. Default: `QUORATE_REDIS_SERVER`, else `redis-server` or `valkey-server` on `PATH`. */
  readonly binary?: string;
  /** Port on 127.0.0.1. Default: a free one. */
  readonly port?: number;
}

/** Options of `RedisContainer.start`. */
export interface RedisContainerOptions extends RedisServerOptions {
  /** Image with `redis-server` on its `PATH`. Default: `QUORATE_REDIS_IMAGE`, else `redis:7`. */
  readonly image?: string;
}

/** Options of `TcpLink.delay`. */
export interface DelayOptions {
  /** Random extra delay per chunk, from 0 to this many ms. Default: 0. */
  readonly jitterMs?: number;
  /** Default: `"both"`, which adds twice the delay to a round trip. */
  readonly direction?: LinkDirection;
}

/** Options of `TcpLink.start`. */
export interface TcpLinkOptions {
  /** Port of the server on 127.0.0.1. */
  readonly targetPort: number;
  /** Scheme of `TcpLink.url`. Default: `"redis"`. */
  readonly scheme?: "redis" | "rediss";
  /**
   * Deliver delayed bytes with a precision of about 0.1 ms, instead of up to 2 ms too late. Default: false. The link
   * polls while a delivery is due, which can use a whole core: run such links in a process of their own.
   */
  readonly precise?: boolean;
}
