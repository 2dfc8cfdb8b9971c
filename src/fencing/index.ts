export { QuorateError } from "../api/errors.js";
export { MalformedTokenError, StaleTokenError } from "./errors.js";
export { FenceGate } from "./fence-gate.js";
export { answerRefusal, assertNotStale } from "./http-answer.js";
export { fencingHeaders, parseFencingHeaders, parseToken } from "./http-headers.js";
export { MemoryFenceStore } from "./memory-fence-store.js";
export { FENCES_SQL, fenceQuery, staleOr, STALE_SQLSTATE } from "./postgres-fences.js";
export { assertWritten, fencedUpdate, fencedUpsert } from "./postgres-row.js";
export { RedisFence } from "./redis-fence.js";

export type { FenceGateOptions } from "./fence-gate.js";
export type { FenceStore } from "./fence-store.js";
export type { CheckedGrant, Grant } from "./grant.js";
export type { AnswerLike } from "./http-answer.js";
export type { HeadersLike } from "./http-headers.js";
export type { MemoryFenceStoreOptions } from "./memory-fence-store.js";
export type { Columns, SqlQuery } from "./postgres-quote.js";
export type { FencedRow } from "./postgres-row.js";
export type {
  RedisArgument,
  RedisCommand,
  RedisFenceOptions,
  ScriptClient,
} from "./redis-fence.js";
