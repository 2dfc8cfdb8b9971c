import type { Cluster, Redis } from "ioredis";

/** A client of our own ioredis: of one server, or of a Cluster. */
export type RedisClient = Redis | Cluster;

/**
 * A client of ioredis 5 or 6 or of iovalkey, of one server or of a Cluster. What it is connected with
 * is read from it; its connection is never used.
 */
export interface RedisLike {
  readonly isCluster: boolean;
  readonly options: object;
  duplicate(...args: never[]): unknown;
}
