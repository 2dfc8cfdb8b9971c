import { RedisError } from "../errors.js";
import { integerIn, isInstant } from "../numbers.js";
import { Status, type Reply } from "../reply.js";
import { at, type CommandContext, type Commands } from "./command.js";

export const KEY_COMMANDS: Commands = {
  DEL: {
    arity: -2,
    writes: true,
    run: ({ keys }, argv) => {
      let count = 0;
      for (let index = 1; index < argv.length; index++) if (keys.delete(at(argv, index))) count++;
      return count;
    },
  },
  EXISTS: {
    arity: -2,
    run: ({ keys }, argv) => {
      let count = 0;
      for (let index = 1; index < argv.length; index++) {
        if (keys.find(at(argv, index)) !== undefined) count++;
      }
      return count;
    },
  },
  TYPE: {
    arity: 2,
    run: ({ keys }, argv) => new Status(keys.find(at(argv, 1))?.type ?? "none"),
  },
  PTTL: {
    arity: 2,
    run: ({ keys }, argv) => {
      const entry = keys.find(at(argv, 1));
      if (entry === undefined) return -2;
      return entry.expiresAtMs === Number.POSITIVE_INFINITY ? -1 : entry.expiresAtMs - keys.nowMs;
    },
  },
  PEXPIRETIME: {
    arity: 2,
    since: 700,
    run: ({ keys }, argv) => {
      const entry = keys.find(at(argv, 1));
      if (entry === undefined) return -2;
      return entry.expiresAtMs === Number.POSITIVE_INFINITY ? -1 : entry.expiresAtMs;
    },
  },
  PEXPIRE: { arity: -3, arityBefore7: 3, writes: true, run: pexpire },
};

/** `PEXPIRE key ms [GT]`. */
function pexpire({ keys }: CommandContext, argv: readonly string[]): Reply {
  const options = argv.slice(3);
  const unknown = options.find((option) => option.toUpperCase() !== "GT");
  if (unknown !== undefined) throw new RedisError(`ERR Unsupported option ${unknown}`);
  const key = at(argv, 1);
  const atMs = keys.nowMs + integerIn(at(argv, 2));
  if (!isInstant(atMs)) throw new RedisError("ERR invalid expire time in 'pexpire' command");
  const entry = keys.find(key);
  if (entry === undefined) return 0;
  if (options.length > 0 && atMs <= entry.expiresAtMs) return 0;
  if (atMs <= keys.nowMs) return keys.delete(key) ? 1 : 0;
  keys.touch(key, entry);
  entry.expiresAtMs = atMs;
  return 1;
}
