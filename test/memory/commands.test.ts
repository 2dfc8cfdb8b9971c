import * as fc from "fast-check";
import { emptyPair, expectSameReplies, type CommandStep } from "../support/conformance/commands.js";
import { conformance } from "../support/conformance/suite.js";

const key = fc.constantFrom("a", "b", "ä");
/** Short and few, so that they meet; with bytes beyond ASCII, and none at all. */
const text = fc.constantFrom("", "x", "y", "é", "🔒", "10", "-1", "x".repeat(70));
const score = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -3, max: 9 }).map(String) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      "0.5",
      "inf",
      "-inf",
      "+3",
      "1e3",
      "1700000000123456",
      "9007199254740993",
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom("", "x", "0x", " 1", "nan", "1e") },
);
/** Servers before Redis 8 skip spaces before a bound, those since refuse them. */
const unspaced = score.map((each) => each.trimStart());
const bound = fc.oneof(
  unspaced,
  unspaced.map((each) => `(${each}`),
);
const ms = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("1", "2", "5", "40", "1000") },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...["0", "-1", "", "x", "1.5", " 1", "+1", "01", "-0"],
      ...["9223372036854775807", "9223372036854775808", "-9223372036854775808"],
    ),
  },
);
const small = fc.constantFrom("1", "-1", "7", "", "x", "1.5");
const index = fc.oneof(fc.integer({ min: -4, max: 4 }).map(String), fc.constantFrom("x", "1.0"));

const some = (one: fc.Arbitrary<string>, maxLength = 3): fc.Arbitrary<string[]> => {
  return fc.array(one, { maxLength });
};
const pairs = (first: fc.Arbitrary<string>): fc.Arbitrary<string[]> => {
  return fc.array(fc.tuple(first, text), { minLength: 1, maxLength: 3 }).map((all) => all.flat());
};

/** A command with its arguments; lists of them are laid out flat. */
const command = (
  name: string,
  ...parts: readonly (fc.Arbitrary<string> | fc.Arbitrary<string[]>)[]
): fc.Arbitrary<string[]> => {
  return fc.tuple(...parts).map((given) => [name, ...given.flat()]);
};

const setOptions = fc.array(
  fc.oneof(
    fc.constantFrom([["NX"], ["nx"], ["XX"]] as const).map((each) => [...each]),
    ms.map((each) => ["PX", each]),
    fc.constantFrom([["PX"], ["no"]] as const).map((each) => [...each]),
  ),
  { maxLength: 3 },
);

const well: fc.Arbitrary<string[]> = fc.oneof(
  command("GET", key),
  command("MGET", some(key)),
  fc
    .tuple(key, text, setOptions)
    .map(([of, value, options]) => ["SET", of, value, ...options.flat(2)]),
  command("DEL", some(key)),
  command("EXISTS", some(key)),
  command("TYPE", key),
  command("PTTL", key),
  command("PEXPIRETIME", key),
  command("PEXPIRE", key, ms, some(fc.constantFrom("GT", "gt", "no"), 2)),
  command("HGET", key, text),
  command("HMGET", key, some(text)),
  command("HLEN", key),
  command("HGETALL", key),
  command("HSET", key, pairs(text)),
  command("HDEL", key, some(text)),
  // Those that only foreign code in the simulator uses.
  command("SETNX", key, text),
  command("GETSET", key, text),
  command("HEXISTS", key, text),
  command("HKEYS", key),
  command("HINCRBY", key, text, small),
  command("ZADD", key, pairs(score)),
  command("ZREM", key, some(text)),
  command("ZSCORE", key, text),
  command("ZRANGE", key, index, index, some(fc.constantFrom("WITHSCORES", "withscores", "no"), 1)),
  command("ZREMRANGEBYSCORE", key, bound, bound),
  command("PUBLISH", fc.constantFrom("nobody", "quorate:inbox:x"), text),
  command("PUBSUB", fc.constantFrom("NUMSUB", "numsub"), some(fc.constantFrom("nobody", "a"))),
  command("TIME"),
);

const NAMES = [
  ...[
    "GET",
    "MGET",
    "SET",
    "DEL",
    "EXISTS",
    "TYPE",
    "PTTL",
    "PEXPIRETIME",
    "PEXPIRE",
    "PUBLISH",
    "PUBSUB",
    "TIME",
    "DELEX",
    "NOSUCH",
  ],
  ...["HGET", "HMGET", "HLEN", "HGETALL", "HSET", "HDEL"],
  ...["SETNX", "GETSET", "HEXISTS", "HKEYS", "HINCRBY"],
  ...["ZADD", "ZREM", "ZSCORE", "ZRANGE", "ZREMRANGEBYSCORE"],
];

/** Too few arguments, or too many. */
const ill = fc
  .tuple(fc.constantFrom(...NAMES), some(fc.constantFrom("a", "1", "x"), 6))
  .map(([name, args]) => [name, ...args]);

const step: fc.Arbitrary<CommandStep> = fc.oneof(
  { weight: 20, arbitrary: well },
  { weight: 2, arbitrary: ill },
  { weight: 3, arbitrary: fc.constantFrom(1, 2, 3, 5, 40, 999).map((byMs) => ({ byMs })) },
  { weight: 1, arbitrary: key.map((listAt) => ({ listAt })) },
);

/** Where a server decides by less than a hair: always asked, however few random steps there is time for. */
const EDGES: readonly (readonly CommandStep[])[] = [
  [
    ...[
      ["SET", "a", "x", "XX"],
      ["GET", "a"],
      ["SET", "a", "x", "NX"],
      ["SET", "a", "y", "NX"],
    ],
    ...[
      ["GET", "a"],
      ["SET", "a", "y", "XX"],
      ["GET", "a"],
      ["SET", "a", "z", "XX", "PX", "5"],
    ],
    ...[{ byMs: 5 }, ["GET", "a"], ["PTTL", "a"], { byMs: 1 }, ["GET", "a"], ["EXISTS", "a"]],
  ],
  [
    ...[
      ["SET", "a", "x"],
      ["PEXPIRE", "a", "5", "GT"],
      ["PEXPIRE", "a", "40"],
      ["PEXPIRE", "a", "40", "GT"],
      ["PEXPIRE", "a", "41", "GT"],
      ["PEXPIRE", "a", "40", "GT"],
    ],
    ...[
      ["PEXPIRETIME", "a"],
      ["PEXPIRE", "a", "0"],
      ["EXISTS", "a"],
    ],
  ],
  [
    ["ZADD", "a", "1", "x", "2", "y", "3", "z", "3", "é"],
    ...[
      ["ZRANGE", "a", "0", "-1"],
      ["ZREMRANGEBYSCORE", "a", "(1", "(3"],
    ],
    ...[
      ["ZRANGE", "a", "0", "-1", "WITHSCORES"],
      ["ZREMRANGEBYSCORE", "a", "(1", "1"],
    ],
    ...[
      ["ZREMRANGEBYSCORE", "a", "1", "1"],
      ["ZRANGE", "a", "-4", "4"],
      ["ZRANGE", "a", "1", "0"],
    ],
    ...[
      ["ZADD", "a", "4", "z"],
      ["ZRANGE", "a", "-1", "-1"],
      ["ZRANGE", "a", "0", "-4"],
    ],
    ...[
      ["ZREMRANGEBYSCORE", "a", "(-inf", "(inf"],
      ["EXISTS", "a"],
    ],
  ],
  [
    ...[
      ["HSET", "a", "x"],
      ["HSET", "a", "x", "1", "y"],
      ["HSET", "a", "x", "1", "y", "2"],
    ],
    ...[
      ["HSET", "a", "x", "3", "x", "4"],
      ["HGET", "a", "x"],
      ["HDEL", "a", "x", "x", "no"],
    ],
    ...[
      ["HDEL", "a", "y"],
      ["TYPE", "a"],
      ["SET", "a", "x"],
      ["HGET", "a", "x"],
    ],
  ],
];

conformance("any commands on a real server and in memory", (redis) => {
  /** A run that is interrupted goes on; the next test needs the server for itself. */
  let last: Promise<unknown> = Promise.resolve();
  const same = async (steps: readonly CommandStep[], isInScript = false): Promise<void> => {
    last = emptyPair(redis()).then((pair) => expectSameReplies(pair, steps, isInScript));
    await last;
  };
  afterEach(() => last.catch(() => {}));

  for (const [where, isInScript] of [
    ["of a client", false],
    ["of a script", true],
  ] as const) {
    it(`${where} have the same answers and leave the same keys`, async function () {
      this.timeout(60_000);
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), (steps) => {
          return same(steps, isInScript);
        }),
        {
          ...{ numRuns: 600, interruptAfterTimeLimit: 12_000, markInterruptAsFailure: false },
          examples: EDGES.map((steps): [CommandStep[]] => [[...steps]]),
        },
      );
    });
  }

  it("on the condition of a value have the same answers and leave the same keys", async function () {
    this.timeout(60_000);
    const kind = fc.constantFrom("IFEQ", "ifeq", "IFNO");
    const onValue = fc.oneof(
      { weight: 4, arbitrary: fc.tuple(kind, text).map((both) => [...both]) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(["IFEQ"], ["IFEQ", "x", "more"]).map((all) => [...all]),
      },
    );
    // Valkey has others, at which it says that it is Redis 7.2.
    const options = redis().isValkey ? setOptions : fc.tuple(setOptions, onValue, setOptions);
    const conditional = fc.oneof(
      fc.tuple(key, text, options).map(([of, value, all]) => ["SET", of, value, ...all.flat(3)]),
      fc.tuple(key, fc.option(onValue, { nil: [] })).map(([of, all]) => ["DELEX", of, ...all]),
      command("HSET", key, pairs(text)),
      command("GET", key),
      command("PTTL", key),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(conditional, { minLength: 1, maxLength: 30 }), (steps) => {
        return same(steps);
      }),
      { ...{ numRuns: 150, interruptAfterTimeLimit: 5_000, markInterruptAsFailure: false } },
    );
  });

  it("read and write numbers in scripts as Lua does, whichever way is taken for them", async () => {
    const pair = await emptyPair(redis());
    const written = fc.oneof(
      fc.maxSafeInteger().map(String),
      // Of every size, from what is nearly 0 to beyond what is counted in ones.
      fc.tuple(fc.integer(), fc.integer({ min: -18, max: 8 })).map(([n, e]) => String(n * 10 ** e)),
      fc.constantFrom("0", "-0", "0.5", "1.5", "2.5", "-0.4", "9007199254740992", "1e300", "1/0"),
    );
    const format = fc.constantFrom("%.0f", "%.17g", "%5.1f", "%.0f!", "%s", "%%", "%.0f %.0f");
    const value = fc.oneof(
      written,
      written.map((text) => `'${text}'`),
      fc.constantFrom("'x'", "''", "nil", "{}", "true"),
    );
    await fc.assert(
      fc.asyncProperty(format, fc.array(value, { maxLength: 2 }), async (how, values) => {
        const args = [`'${how}'`, ...values].join(", ");
        const script = `
          local is_written, text = pcall(string.format, ${args})
          local read = tonumber(${values[0] ?? "'7'"})
          return { is_written and text or 'refused', read and string.format('%.17g', read) or 'none' }`;
        await expectSameReplies(pair, [["EVAL", script, "0"]]);
      }),
      { numRuns: 300 },
    );
  });
});
