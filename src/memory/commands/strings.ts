import { RedisError } from "../errors.js";
import { integerIn, isInstant } from "../numbers.js";
import { OK, type Reply } from "../reply.js";
import { at, syntaxError, type CommandContext, type Commands } from "./command.js";

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

/** `SET key value [NX | XX] [GET] [PX ms]`. */
function set({ keys, version }: CommandContext, argv: readonly string[]): Reply {
  const key = at(argv, 1);
  let [isNew, isOld, wantsOld] = [false, false, false];
  let ttl: string | undefined;
  for (let index = 3; index < argv.length; index++) {
    const option = at(argv, index).toUpperCase();
    if (option === "PX" && index + 1 < argv.length) ttl = at(argv, ++index);
    else if (option === "NX" && !isOld) isNew = true;
    else if (option === "XX" && !isNew) isOld = true;
    else if (option === "GET" && version >= 602) wantsOld = true;
    else throw syntaxError();
  }
  if (isNew && wantsOld && version < 700) throw syntaxError();
  const expiresAtMs = ttl === undefined ? Number.POSITIVE_INFINITY : instantOf(keys.nowMs, ttl);
  const found = wantsOld ? keys.typed(key, "string") : keys.find(key);
  const before = wantsOld ? ((found?.value ?? null) as string | null) : null;
  if ((isNew && found !== undefined) || (isOld && found === undefined)) return before;
  keys.put(key, { type: "string", value: at(argv, 2), expiresAtMs });
  return wantsOld ? before : OK;
}

function instantOf(nowMs: number, ttl: string): number {
  const ttlMs = integerIn(ttl);
  if (ttlMs <= 0 || !isInstant(nowMs + ttlMs)) {
    throw new RedisError("ERR invalid expire time in 'set' command");
  }
  return nowMs + ttlMs;
}
