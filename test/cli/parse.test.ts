import { expect } from "chai";
import { choice, defineCommand, duration, flag, whole, type Call } from "../../src/cli/command.js";
import { callCli } from "../support/cli.js";

let seen: Call | undefined;

const exec = defineCommand({
  name: "exec",
  summary: "Run a command",
  synopsis: "NAME... [OPTIONS] -- COMMAND",
  words: { min: 1, max: 2, title: "one or two names" },
  takesCommand: true,
  options: {
    wait: duration(0, { short: "w", help: "how long to wait" }),
    code: whole(0, 255, { short: "E", help: "exit code" }),
    shared: flag({ short: "s", help: "shared" }),
    "no-wait": flag({ short: "n", help: "one attempt" }),
    mode: choice(["fast", "slow"], { help: "how" }),
  },
  examples: ["quorate exec a -- true"],
  run: (call) => {
    seen = call as unknown as Call;
    return Promise.resolve(7);
  },
});

const doctor = defineCommand({
  ...{ name: "doctor", summary: "Look", synopsis: "", options: {}, examples: ["quorate doctor"] },
  words: { min: 0, max: 0, title: "" },
  run: () => Promise.reject(new Error("boom")),
});

const release = defineCommand({
  ...{
    name: "release",
    summary: "End",
    synopsis: "NAME",
    options: {},
    examples: ["quorate release a"],
  },
  words: { min: 1, max: 1, title: "a name" },
  run: (call) => {
    seen = call as unknown as Call;
    return Promise.resolve(7);
  },
});

const call = (...args: string[]) => callCli(args, {}, [exec, doctor, release]);

type Row = readonly [
  args: string,
  seen: Partial<Record<"words" | "command" | "values" | "globals", unknown>>,
];

const GOOD: readonly Row[] = [
  ["exec a", { words: ["a"], command: undefined, values: {}, globals: {} }],
  ["exec a b -- c -d --json", { words: ["a", "b"], command: ["c", "-d", "--json"], globals: {} }],
  ["exec a --", { words: ["a"], command: [] }],
  ["release -- --a", { words: ["--a"], command: undefined }],
  ["--json exec a", { globals: { json: true } }],
  [
    "-N redis://x,redis://y exec a -N redis://z",
    { words: ["a"], globals: { nodes: ["redis://x", "redis://y", "redis://z"] } },
  ],
  ["exec -w 5 a", { words: ["a"], values: { wait: 5_000 } }],
  ["exec -w5 a --wait=2m", { values: { wait: 120_000 } }],
  ["exec a -sn -E0", { values: { shared: true, "no-wait": true, code: 0 } }],
  ["exec a --mode slow", { values: { mode: "slow" } }],
];

const BAD: readonly (readonly [args: string, says: string])[] = [
  ["", "no command"],
  ["-- exec", "no command"],
  ["exc a", 'unknown command "exc": did you mean exec?'],
  ["exec", "exec needs one or two names"],
  ["exec a b c", 'exec takes only one or two names, also got "c"'],
  ["doctor x", 'doctor takes only options, also got "x"'],
  ["doctor redis://a", "doctor takes only options: nodes are given by --nodes"],
  ["release rediss://:pw@a b", "release takes only a name: nodes are given by --nodes"],
  ["doctor -- x", "doctor does not run a command: remove -- and everything after it"],
  ["release a -- -b", 'release takes only a name, also got "-b"'],
  ["exec a --wiat 5", "unknown option --wiat: did you mean --wait?"],
  ["exec a --jsno", "unknown option --jsno: did you mean --json?"],
  ["exec a --timeout 5", "unknown option --timeout: did you mean --wait?"],
  ["exec a --nonblock", "unknown option --nonblock: did you mean --no-wait?"],
  ["doctor --timeout 5", "unknown option --timeout: did you mean --node-timeout?"],
  ["exec a -x", "unknown option -x"],
  ["exec a --constructor", "unknown option --constructor"],
  [
    "exec a --wait -1",
    '--wait must be a duration such as 250ms, 10s, 2m, 1h or a number of seconds, got "-1"',
  ],
  ["exec a --wait", "--wait needs a value (D)"],
  ["exec a -w --", "--wait must be a duration"],
  ["exec a -E 300", '--code must be an integer from 0 to 255, got "300"'],
  ["exec a -E 1.5", "--code must be an integer from 0 to 255"],
  ["exec a --shared=yes", '--shared takes no value, got "yes"'],
  ["exec a --mode medium", '--mode must be fast or slow, got "medium"'],
];

const split = (args: string): string[] => args.split(" ").filter((arg) => arg !== "");

describe("Command lines", () => {
  beforeEach(() => (seen = undefined));

  for (const [args, parts] of GOOD) {
    it(`understands: ${args}`, async () => {
      expect(await call(...split(args))).to.deep.equal({ code: 7, stdout: "", stderr: "" });
      for (const [part, value] of Object.entries(parts)) {
        expect({ ...(seen?.[part as keyof Call] as object) }, part).to.deep.equal({
          ...(value as object),
        });
      }
    });
  }

  for (const [args, says] of BAD) {
    it(`exits 64 and says why: ${args}`, async () => {
      const { code, stdout, stderr } = await call(...split(args));
      expect(code).to.equal(64);
      expect(stdout).to.equal("");
      expect(stderr).to.include(says);
      expect(stderr).to.match(/\nquorate: try: quorate (exec |doctor |release )?--help\n$/);
      expect(seen).to.equal(undefined);
    });
  }

  it("tells an error as JSON, if that is asked for", async () => {
    const { stderr } = await call("exec", "--json");
    expect(JSON.parse(stderr)).to.deep.equal({
      error: { exitCode: 64, message: "exec needs one or two names" },
    });
  });

  it("exits 70 for a bug, with the trace", async () => {
    const { code, stderr } = await call("doctor");
    expect(code).to.equal(70);
    expect(stderr).to.match(/^quorate: this is a bug in quorate: Error: boom\n +at /);
  });

  it("takes `help` for --help, before the name of a command too", async () => {
    expect(await call("help")).to.deep.equal(await call("--help"));
    expect(await call("help", "exec")).to.deep.equal(await call("exec", "--help"));
    expect((await call("help")).code).to.equal(0);
    expect((await call("help", "exce")).stderr).to.include('"exce": did you mean exec?');
  });

  it("makes the help of a command from its table", async () => {
    const { code, stdout } = await call("exec", "--help");
    expect(code).to.equal(0);
    expect(stdout).to.match(/^Usage: quorate exec NAME\.\.\. \[OPTIONS\] -- COMMAND\n/);
    for (const name of Object.keys(exec.options)) expect(stdout).to.include(`--${name}`);
    for (const line of stdout.split("\n")) expect(line.length, line).to.be.at.most(100);
  });
});
