import type { RedisOptions } from "ioredis";

/** Options of an ioredis client, except the one that changes the types of its replies. */
export type ClientOptions = Omit<RedisOptions, "replyMapping">;
