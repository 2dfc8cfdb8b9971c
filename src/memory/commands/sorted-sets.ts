import type { Entry, Keyspace } from "../keyspace.js";
import { floatIn, integerIn, scoreText } from "../numbers.js";
import type { Reply } from "../reply.js";
import { SortedSet, type Scored } from "../sorted-set.js";
import { at, syntaxError, type CommandContext, type Commands } from "./command.js";

export const SORTED_SET_COMMANDS: Commands = {
  ZADD: { arity: -4, writes: true, growsMemory: true, run: add },
  ZREM: {
    arity: -3,
    writes: true,
    run: ({ keys }, argv) => keys.deleteMembers(at(argv, 1), "zset", argv.slice(2)),
  },
  ZSCORE: {
    arity: 3,
    run: ({ keys }, argv) => {
      const score = setOf(keys, argv)?.value.score(at(argv, 2));
      return score === undefined ? null : scoreText(score);
    },
  },
  ZRANGE: { arity: -4, run: range },
  ZREMRANGEBYSCORE: { arity: 4, writes: true, run: removeByScore },
};

function setOf(keys: Keyspace, argv: readonly string[]): Entry<"zset"> | undefined {
  return keys.typed(at(argv, 1), "zset");
}

/** `ZADD key score member [score member ...]`. */
function add({ keys }: CommandContext, argv: readonly string[]): Reply {
  if (argv.length % 2 === 1) throw syntaxError();
  const pairs: Scored[] = [];
  for (let index = 2; index < argv.length; index += 2) {
    pairs.push([at(argv, index + 1), floatIn(at(argv, index))]);
  }
  const entry = keys.toChange(at(argv, 1), "zset", () => new SortedSet());
  let count = 0;
  for (const [member, score] of pairs) if (entry.value.add(member, score)) count++;
  return count;
}

/** `ZRANGE key first last [WITHSCORES]`, by index. */
function range({ keys }: CommandContext, argv: readonly string[]): Reply {
  const hasScores = argv.length === 5 && at(argv, 4).toUpperCase() === "WITHSCORES";
  if (argv.length > 4 && !hasScores) throw syntaxError();
  const [first, last] = [integerIn(at(argv, 2)), integerIn(at(argv, 3))];
  const all = setOf(keys, argv)?.value.inOrder() ?? [];
  const from = first < 0 ? Math.max(0, all.length + first) : first;
  const part = all.slice(from, Math.max(from, last < 0 ? all.length + last + 1 : last + 1));
  if (!hasScores) return part.map(([member]) => member);
  return part.flatMap(([member, score]) => [member, scoreText(score)]);
}

/** `ZREMRANGEBYSCORE key min max`; a "(" before a bound excludes the bound itself. */
function removeByScore({ keys }: CommandContext, argv: readonly string[]): Reply {
  const [min, max] = [boundIn(at(argv, 2)), boundIn(at(argv, 3))];
  const all = setOf(keys, argv)?.value.inOrder() ?? [];
  const gone = all.filter(([, score]) => {
    const isAbove = min.isOpen ? score > min.score : score >= min.score;
    return isAbove && (max.isOpen ? score < max.score : score <= max.score);
  });
  const members = gone.map(([member]) => member);
  return keys.deleteMembers(at(argv, 1), "zset", members);
}

function boundIn(text: string): { readonly score: number; readonly isOpen: boolean } {
  const isOpen = text.startsWith("(");
  const number = isOpen ? text.slice(1) : text;
  // An empty bound is 0, but not an empty score. Spaces before a bound are refused, as by servers since Redis 8.
  const score = number === "" ? 0 : floatIn(number, "ERR min or max is not a float");
  return { score, isOpen };
}
