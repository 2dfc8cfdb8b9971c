export { bytesOf, textOf } from "./bytes.js";
export { MemoryConnection, type ConnectionListener } from "./connection.js";
export { LuaMissingError, RedisError } from "./errors.js";
export { MemoryRedis, type MemoryRedisOptions, type ServerFacts } from "./memory-redis.js";
export { Status, type Reply } from "./reply.js";
