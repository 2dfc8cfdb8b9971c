import { expect } from "chai";
import { GLOBAL_OPTIONS } from "../../src/cli/command.js";
import { COMMANDS } from "../../src/cli/commands.js";
import { parseCommandLine } from "../../src/cli/parse.js";

type Row = readonly [text: string, value: unknown];

const FLAG: readonly Row[] = [["", true]];
const TEXT: readonly Row[] = [
  ["", ""],
  ["0", "0"],
  [" a b ", " a b "],
  ["--", "--"],
];
const MAYBE_ZERO: readonly Row[] = [
  ["0", 0],
  ["0ms", 0],
  ["250ms", 250],
  ["1.5", 1_500],
  ["2m", 120_000],
  ["1h", 3_600_000],
  ["30d", 2_592_000_000],
];
const ABOVE_ZERO = MAYBE_ZERO.slice(2);
const NO_DURATION = ["", "-1", "1x", "1 s", "1e3", "ten", "Infinity"];
const NO_WHOLE = ["", "-1", "1.5", "1e3", "0x1", " 1", "one"];

/** What each option makes of a text, and which texts it refuses; options of the same name are the same. */
const OPTIONS: Readonly<
  Record<string, { readonly takes: readonly Row[]; readonly refuses?: readonly string[] }>
> = {
  nodes: {
    takes: [
      ["redis://a", ["redis://a"]],
      ["redis://a, redis://b redis://c", ["redis://a", "redis://b", "redis://c"]],
      [" , ", []],
    ],
  },
  config: { takes: TEXT },
  "key-prefix": { takes: TEXT },
  "node-timeout": { takes: ABOVE_ZERO, refuses: ["0", "0ms", ...NO_DURATION] },
  json: { takes: FLAG },
  quiet: { takes: FLAG },
  verbose: { takes: FLAG },
  help: { takes: FLAG },
  version: { takes: FLAG },
  wait: { takes: MAYBE_ZERO, refuses: NO_DURATION },
  "no-wait": { takes: FLAG },
  "conflict-exit-code": {
    takes: [
      ["0", 0],
      ["1", 1],
      ["255", 255],
    ],
    refuses: ["256", ...NO_WHOLE],
  },
  shared: { takes: FLAG },
  permits: {
    takes: [
      ["1", 1],
      ["10000", 10_000],
    ],
    refuses: ["0", "10001", ...NO_WHOLE],
  },
  owner: { takes: TEXT },
  "min-hold": { takes: MAYBE_ZERO, refuses: NO_DURATION },
  fair: { takes: FLAG },
  ttl: { takes: ABOVE_ZERO, refuses: ["0", ...NO_DURATION] },
  grace: { takes: MAYBE_ZERO, refuses: NO_DURATION },
  "stop-timeout": { takes: MAYBE_ZERO, refuses: NO_DURATION },
  "lock-delay": { takes: MAYBE_ZERO, refuses: NO_DURATION },
  "max-ttl": { takes: ABOVE_ZERO, refuses: ["0", ...NO_DURATION] },
  "max-hold": { takes: ABOVE_ZERO, refuses: ["0", ...NO_DURATION] },
  label: { takes: TEXT },
  signal: { takes: TEXT },
  command: { takes: TEXT },
  tty: {
    takes: ["auto", "always", "never"].map((each) => [each, each]),
    refuses: ["", "Auto", "autoo", "a"],
  },
  "on-loss": {
    takes: ["kill", "signal", "ignore"].map((each) => [each, each]),
    refuses: ["", "none"],
  },
  "no-guard": { takes: FLAG },
  "leave-group": { takes: FLAG },
  "nodes-changed": { takes: FLAG },
  "pass-nodes": { takes: FLAG },
  "status-fd": {
    takes: [
      ["1", 1],
      ["3", 3],
      ["65535", 65_535],
    ],
    refuses: ["0", "65536", ...NO_WHOLE],
  },
  "on-exit": { takes: ["again", "stop"].map((each) => [each, each]), refuses: ["", "never"] },
  observe: { takes: FLAG },
  token: {
    takes: [
      ["1", 1],
      ["9007199254740991", 2 ** 53 - 1],
    ],
    refuses: ["0", "9007199254740992", ...NO_WHOLE],
  },
  fingerprint: {
    takes: ["1f6bb2a0", "00000000"].map((each) => [each, each]),
    refuses: ["", "1f6bb2a", "1f6bb2a01", "1F6BB2A0", "1f6bb2ag"],
  },
  limit: {
    takes: [
      ["1", 1],
      ["100000", 100_000],
    ],
    refuses: ["0", "100001", ...NO_WHOLE],
  },
  interval: {
    takes: [
      ["100ms", 100],
      ["1", 1_000],
    ],
    refuses: ["99ms", "0", ...NO_DURATION],
  },
  force: { takes: FLAG },
  strict: { takes: FLAG },
  duration: { takes: [["1", 1_000]], refuses: ["0", "99ms", ...NO_DURATION] },
  concurrency: {
    takes: [
      ["1", 1],
      ["10000", 10_000],
    ],
    refuses: ["0", "10001", ...NO_WHOLE],
  },
};

const ALL = [
  { name: undefined, options: GLOBAL_OPTIONS },
  ...COMMANDS.map(({ name, options }) => ({ name, options })),
];

describe("The options of each command", () => {
  it("are all in the table, and nothing else is", () => {
    const names = new Set(ALL.flatMap(({ options }) => Object.keys(options)));
    expect(Object.keys(OPTIONS)).to.have.members([...names]);
  });

  for (const { name: command = "ls", options } of ALL) {
    const known = COMMANDS.find(({ name }) => name === command);
    const isGlobal = options === GLOBAL_OPTIONS;
    for (const [name, { value: placeholder, short, isRepeatable = false }] of Object.entries(
      options,
    )) {
      const { takes, refuses = [] } = OPTIONS[name] ?? { takes: [] };
      /** What it comes to in a command line. */
      const read = (...args: readonly string[]): unknown => {
        const parsed = parseCommandLine([command, ...args], known);
        return (isGlobal ? parsed.globals : parsed.values)[name as keyof object];
      };

      it(`are read by value: ${isGlobal ? "all commands" : command} --${name}`, () => {
        expect(read()).to.equal(undefined);
        if (placeholder === undefined) {
          expect(read(`--${name}`)).to.equal(true);
          expect(() => read(`--${name}=true`)).to.throw(/takes no value/);
        }
        for (const [text, value] of placeholder === undefined ? [] : takes) {
          expect(read(`--${name}=${text}`), text).to.deep.equal(value);
          if (text !== "" && !text.startsWith("-"))
            expect(read(`--${name}`, text), text).to.deep.equal(value);
          if (short !== undefined && text !== "" && !text.startsWith("-"))
            expect(read(`-${short}${text}`), text).to.deep.equal(value);
        }
        for (const text of refuses) {
          const bad = (): unknown => read(`--${name}=${text}`);
          expect(bad, text).to.throw(`, got ${JSON.stringify(text)}`);
        }
      });

      if (placeholder === undefined) continue;
      it(`count ${isRepeatable ? "all" : "last"} if repeated: ${isGlobal ? "all commands" : command} --${name}`, () => {
        const [[one, first], [other, second]] = [takes[0] ?? ["", ""], takes.at(-1) ?? ["", ""]];
        const both = read(`--${name}=${one}`, `--${name}=${other}`);
        const expected = isRepeatable ? [...(first as []), ...(second as [])] : second;
        expect(both).to.deep.equal(expected);
      });
    }
  }
});
