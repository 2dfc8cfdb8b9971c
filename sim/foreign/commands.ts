import {
  at,
  wrongArity,
  type CommandContext,
  type Commands,
} from "../../src/memory/commands/command.js";
import { RedisError } from "../../src/memory/errors.js";
import { integerIn } from "../../src/memory/numbers.js";
import type { Entry } from "../../src/memory/keyspace.js";
import type { Reply } from "../../src/memory/reply.js";

const NO_INTEGER = "ERR hash value is not an integer";

/** Server commands that our locks do not use, but other code on the same server does. */
export const FOREIGN_COMMANDS: Commands = {
  SETNX: { arity: 3, writes: true, growsMemory: true, run: setIfNew },
  GETSET: { arity: 3, writes: true, growsMemory: true, run: getAndSet },
  HEXISTS: {
    arity: 3,
    run: ({ keys }, argv) => (keys.typed(at(argv, 1), "hash")?.value.has(at(argv, 2)) ? 1 : 0),
  },
  HKEYS: {
    arity: 2,
    run: ({ keys }, argv) => [...(keys.typed(at(argv, 1), "hash")?.value.keys() ?? [])],
  },
  HINCRBY: { arity: 4, writes: true, growsMemory: true, run: incrementField },
  DELEX: { arity: -2, since: 804, writes: true, run: deleteIf },
};

function setIfNew({ keys }: CommandContext, argv: readonly string[]): Reply {
  if (keys.find(at(argv, 1)) !== undefined) return 0;
  keys.put(at(argv, 1), stringOf(at(argv, 2)));
  return 1;
}

/** GETSET also removes the expiry. */
function getAndSet({ keys }: CommandContext, argv: readonly string[]): Reply {
  const before = keys.typed(at(argv, 1), "string");
  keys.put(at(argv, 1), stringOf(at(argv, 2)));
  return before?.value ?? null;
}

function incrementField({ keys }: CommandContext, argv: readonly string[]): Reply {
  const by = integerIn(at(argv, 3));
  const entry = keys.typed(at(argv, 1), "hash");
  const before = entry?.value.get(at(argv, 2)) ?? "0";
  // No hold count gets larger than a number can express.
  if (!/^(0|-?[1-9]\d{0,14})$/.test(before)) throw new RedisError(NO_INTEGER);
  const after = Number(before) + by;
  const changed = keys.toChange(at(argv, 1), "hash", () => new Map<string, string>());
  changed.value.set(at(argv, 2), String(after));
  return after;
}

function stringOf(value: string): Entry<"string"> {
  return { type: "string", value, expiresAtMs: Number.POSITIVE_INFINITY };
}

/** `DELEX key [IFEQ value]`. */
function deleteIf({ keys }: CommandContext, argv: readonly string[]): Reply {
  const [, key = "", option, value = ""] = argv;
  if (argv.length !== 2 && argv.length !== 4) throw wrongArity("delex");
  const found = keys.find(key);
  if (found === undefined) return 0;
  if (option !== undefined) {
    if (found.type !== "string") throw new RedisError("ERR Key should be of string type");
    if (option.toUpperCase() !== "IFEQ") throw new RedisError("ERR Invalid condition");
    if (found.value !== value) return 0;
  }
  keys.delete(key);
  return 1;
}
