import type { LinkDirection } from "./link-faults.js";
import type { RedisProvider, RedisServerOptions } from "./redis-provider.js";

/** The providers that are known by a name. */
export type ProviderName = "auto" | "process" | "docker";

/** Options of `RedisFleet.start`. */
export interface FleetOptions {
  /** Number of servers, from 1 to 100. Default: 5. */
  readonly nodes?: number;
  /** Put a `TcpLink` in front of every server. Default: false. */
  readonly links?: boolean;
  /** Setup of the servers, for all or per index. Default: memory only. */
  readonly server?: RedisServerOptions | ((index: number) => RedisServerOptions);
  /**
   * Where the servers come from: local processes, Docker, or a provider of your own. Default:
   * `"auto"`, which takes local processes where a server program is found, else Docker.
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
  /** Up to this much more, chosen for every chunk, in ms. Default: 0. */
  readonly jitterMs?: number;
  /** Default: both, so that a round trip takes twice the delay longer. */
  readonly direction?: LinkDirection;
}

/** Options of `TcpLink.start`. */
export interface TcpLinkOptions {
  /** Port of the server on 127.0.0.1. */
  readonly targetPort: number;
  /** Scheme of `TcpLink.url`. Default: `"redis"`. */
  readonly scheme?: "redis" | "rediss";
  /**
   * Deliver to about 0.1 ms what the link delays, and not up to 2 ms too late. Default: false. It
   * polls while bytes are about to be delivered, which takes up to a core: put such links into a
   * process of their own.
   */
  readonly precise?: boolean;
}
