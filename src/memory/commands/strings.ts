import { RedisError } from "../errors.js";
import { integerIn, isInstant } from "../numbers.js";
import { OK, type Reply } from "../reply.js";
import { at, syntaxError, wrongArity, type CommandContext, type Commands } from "./command.js";

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
  DELEX: { arity: -2, since: CONDITIONS_SINCE, writes: true, run: deleteIf },
};

interface Condition {
  readonly kind: "NX" | "XX" | "IFEQ" | "IFNE";
  /** What the key has, or has not. */
  readonly value?: string;
}

/** `SET key value [NX | XX | IFEQ value | IFNE value] [GET] [PX ms]`. */
function set({ keys, version }: CommandContext, argv: readonly string[]): Reply {
  const key = at(argv, 1);
  let condition: Condition | undefined;
  let wantsOld = false;
  let ttl: string | undefined;
  for (let index = 3; index < argv.length; index++) {
    const option = at(argv, index).toUpperCase();
    const hasMore = index + 1 < argv.length;
    if (option === "PX" && hasMore) ttl = at(argv, ++index);
    else if (option === "GET" && version >= 602) wantsOld = true;
    else if ((option === "NX" || option === "XX") && (condition?.kind ?? option) === option) {
      condition = { kind: option };
    } else if (isOnValue(option) && version >= CONDITIONS_SINCE && hasMore && !condition) {
      condition = { kind: option, value: at(argv, ++index) };
    } else throw syntaxError();
  }
  if (condition?.kind === "NX" && wantsOld && version < 700) throw syntaxError();
  const expiresAtMs = ttl === undefined ? Number.POSITIVE_INFINITY : instantOf(keys.nowMs, ttl);
  const isTyped = wantsOld || condition?.value !== undefined;
  const found = isTyped ? keys.typed(key, "string") : keys.find(key);
  const before = wantsOld ? ((found?.value ?? null) as string | null) : null;
  if (condition !== undefined && !isMet(condition, found?.value)) return before;
  keys.put(key, { type: "string", value: at(argv, 2), expiresAtMs });
  return wantsOld ? before : OK;
}

/** `DELEX key [IFEQ value | IFNE value]`. */
function deleteIf({ keys }: CommandContext, argv: readonly string[]): Reply {
  const [, key = "", option, value = ""] = argv;
  if (argv.length !== 2 && argv.length !== 4) throw wrongArity("delex");
  const found = keys.find(key);
  if (found === undefined) return 0;
  if (option !== undefined) {
    if (found.type !== "string") throw new RedisError("ERR Key should be of string type");
    const kind = option.toUpperCase();
    if (!isOnValue(kind)) throw new RedisError("ERR Invalid condition");
    if (!isMet({ kind, value }, found.value)) return 0;
  }
  keys.delete(key);
  return 1;
}

function isOnValue(option: string): option is "IFEQ" | "IFNE" {
  return option === "IFEQ" || option === "IFNE";
}

/** @param found what the key has; undefined if there is none */
function isMet({ kind, value }: Condition, found: unknown): boolean {
  switch (kind) {
    case "NX":
      return found === undefined;
    case "XX":
      return found !== undefined;
    case "IFEQ":
      return found === value;
    case "IFNE":
      return found !== value;
  }
}

function instantOf(nowMs: number, ttl: string): number {
  const ttlMs = integerIn(ttl);
  if (ttlMs <= 0 || !isInstant(nowMs + ttlMs)) {
    throw new RedisError("ERR invalid expire time in 'set' command");
  }
  return nowMs + ttlMs;
}
