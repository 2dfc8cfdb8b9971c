import type { Cluster, Redis } from "ioredis";

/** A client as users of ioredis have it: of one server, or of a Cluster. */
export type RedisClient = Redis | Cluster;
