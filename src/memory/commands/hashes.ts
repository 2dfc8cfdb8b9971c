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
  HDEL: { arity: -3, writes: true, run: remove },
};

function fieldsOf(keys: Keyspace, argv: readonly string[]): Entry<"hash"> | undefined {
  return keys.typed(at(argv, 1), "hash");
}

function set({ keys }: CommandContext, argv: readonly string[]): Reply {
  if (argv.length % 2 === 1) throw wrongArity("hset");
  let entry = fieldsOf(keys, argv);
  if (entry === undefined) {
    entry = { type: "hash", value: new Map(), expiresAtMs: Number.POSITIVE_INFINITY };
    keys.put(at(argv, 1), entry);
  } else {
    keys.touch(at(argv, 1), entry);
  }
  const before = entry.value.size;
  for (let index = 2; index < argv.length; index += 2) {
    entry.value.set(at(argv, index), at(argv, index + 1));
  }
  return entry.value.size - before;
}

function remove({ keys }: CommandContext, argv: readonly string[]): Reply {
  const entry = fieldsOf(keys, argv);
  const gone = argv.slice(2).filter((field) => entry?.value.has(field));
  if (entry === undefined || gone.length === 0) return 0;
  const unique = new Set(gone);
  if (unique.size === entry.value.size) keys.delete(at(argv, 1));
  else {
    keys.touch(at(argv, 1), entry);
    for (const field of unique) entry.value.delete(field);
  }
  return unique.size;
}
