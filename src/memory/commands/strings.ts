import { RedisError } from "../errors.js";
import { integerIn, isInstant } from "../numbers.js";
import { OK, type Reply } from "../reply.js";
import { at, syntaxError, type CommandContext, type Commands } from "./command.js";

/** Redis 8.4. Conditions on digests are not known here. */
const CONDITIONS_SINCE = 804;

export const STRING_COMMANDS: Commands = {
  GET: {
    arity: 2,
    run: ({ keys }, argv) => keys.typed(at(argv, 1), "string")?.value ?? null,
  },
  MGET: {
    arity: -2,
    run: ({ keys }, argv) => {
      return argv.slice(1).map((key) => {
        const entry = keys.find(key);
        return entry?.type === "string" ? (entry.value as string) : null;
      });
    },
  },
  SET: { arity: -3, writes: true, growsMemory: true, run: set },
};

interface Condition {
  readonly kind: "NX" | "XX" | "IFEQ";
  /** What the key has. */
  readonly value?: string;
}

/** `SET key value [NX | XX | IFEQ value] [PX ms]`. */
function set({ keys, version }: CommandContext, argv: readonly string[]): Reply {
  const key = at(argv, 1);
  let condition: Condition | undefined;
  let ttl: string | undefined;
  for (let index = 3; index < argv.length; index++) {
    const option = at(argv, index).toUpperCase();
    const hasMore = index + 1 < argv.length;
    if (option === "PX" && hasMore) ttl = at(argv, ++index);
    else if ((option === "NX" || option === "XX") && (condition?.kind ?? option) === option) {
      condition = { kind: option };
    } else if (option === "IFEQ" && version >= CONDITIONS_SINCE && hasMore && !condition) {
      condition = { kind: option, value: at(argv, ++index) };
    } else throw syntaxError();
  }
  const expiresAtMs = ttl === undefined ? Number.POSITIVE_INFINITY : instantOf(keys.nowMs, ttl);
  const found = condition?.kind === "IFEQ" ? keys.typed(key, "string") : keys.find(key);
  if (condition !== undefined && !isMet(condition, found?.value)) return null;
  keys.put(key, { type: "string", value: at(argv, 2), expiresAtMs });
  return OK;
}

/** @param found what the key has; undefined if there is none */
function isMet({ kind, value }: Condition, found: unknown): boolean {
  if (kind === "IFEQ") return found === value;
  return (found === undefined) === (kind === "NX");
}

function instantOf(nowMs: number, ttl: string): number {
  const ttlMs = integerIn(ttl);
  if (ttlMs <= 0 || !isInstant(nowMs + ttlMs)) {
    throw new RedisError("ERR invalid expire time in 'set' command");
  }
  return nowMs + ttlMs;
}
