import type { Entry, Keyspace } from "../keyspace.js";
import type { Reply } from "../reply.js";
import { at, wrongArity, type CommandContext, type Commands } from "./command.js";

export const HASH_COMMANDS: Commands = {
  HGET: {
    arity: 3,
    run: ({ keys }, argv) => fieldsOf(keys, argv)?.value.get(at(argv, 2)) ?? null,
  },
  HMGET: {
    arity: -3,
    run: ({ keys }, argv) => {
      const fields = fieldsOf(keys, argv)?.value;
      return argv.slice(2).map((field) => fields?.get(field) ?? null);
    },
  },
  HLEN: { arity: 2, run: ({ keys }, argv) => fieldsOf(keys, argv)?.value.size ?? 0 },
  HGETALL: {
    arity: 2,
    run: ({ keys }, argv) => [...(fieldsOf(keys, argv)?.value ?? [])].flat(),
  },
  HSET: { arity: -4, writes: true, growsMemory: true, run: set },
  HDEL: {
    arity: -3,
    writes: true,
    run: ({ keys }, argv) => keys.deleteMembers(at(argv, 1), "hash", argv.slice(2)),
  },
};

function fieldsOf(keys: Keyspace, argv: readonly string[]): Entry<"hash"> | undefined {
  return keys.typed(at(argv, 1), "hash");
}

function set({ keys }: CommandContext, argv: readonly string[]): Reply {
  if (argv.length % 2 === 1) throw wrongArity("hset");
  const entry = keys.toChange(at(argv, 1), "hash", () => new Map<string, string>());
  const before = entry.value.size;
  for (let index = 2; index < argv.length; index += 2) {
    entry.value.set(at(argv, index), at(argv, index + 1));
  }
  return entry.value.size - before;
}
