import { spawnSync } from "node:child_process";
import { expect } from "chai";
import { choice, defineCommand, flag, GLOBAL_OPTIONS, text } from "../../src/cli/command.js";
import { COMMANDS } from "../../src/cli/commands.js";
import { completionOf } from "../../src/cli/completion.js";
import { callCli } from "../support/cli.js";

/** A command with an option of each kind. */
const exec = defineCommand({
  name: "exec",
  summary: "Run a command, it's [one]: under a lock",
  synopsis: "NAME -- COMMAND",
  words: { min: 1, max: 9, title: "names" },
  takesCommand: true,
  options: {
    shared: flag({ short: "s", help: "beside others: don't [exclude]" }),
    signal: text({ value: "NAME", completes: "signal", help: "what is sent" }),
    tty: choice(["auto", "always", "never"], { help: "whether it's a terminal [auto]" }),
    wait: text({ short: "w", value: "D", help: "how long" }),
  },
  examples: ["quorate exec a -- b"],
  run: async () => 0,
});

const WITH_EXEC = [exec, completionOf([exec])];

/** What is offered for the last word of a command line; all that must be among it, and nothing that must not. */
const CASES: readonly (readonly [line: string, has: readonly string[], not?: readonly string[]])[] =
  [
    ["quorate ", ["exec", "completion"], ["--json"]],
    ["quorate ex", ["exec"], ["completion"]],
    ["quorate completion ", ["bash", "zsh", "fish"], ["exec"]],
    ["quorate exec --", ["--shared", "--wait", "--nodes"]],
    ["quorate completion --", ["--json"], ["--wait"]],
    ["quorate exec --tty ", ["auto", "always", "never"], ["--wait"]],
    ["quorate --nodes exec ex", ["exec"]],
    ["quorate exec a -- ech", ["echo"]],
  ];

function isThere(shell: string): boolean {
  return spawnSync(shell, ["-c", "true"]).status === 0;
}

function run(shell: string, args: readonly string[], input = ""): string {
  const { status, stdout, stderr } = spawnSync(shell, args, { input, encoding: "utf8" });
  expect({ status, stderr }, stdout).to.deep.equal({ status: 0, stderr: "" });
  return stdout;
}

/** Asks a shell for its completions of a line. */
const SHELLS: Readonly<Record<string, (script: string, line: string) => string>> = {
  bash: (script, line) => {
    const words = line.split(" ").map((word) => `'${word}'`);
    const ask = `COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}; _quorate; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return run("bash", ["--norc", "-s"], `${script}\n${ask}\n`);
  },
  fish: (script, line) => {
    const ask = `complete --do-complete '${line}'`;
    return run("fish", ["--no-config", "-c", `${script}\n${ask}\n`]).replace(/\t.*$/gm, "");
  },
};

describe("quorate completion", () => {
  for (const [shell, complete] of Object.entries(SHELLS)) {
    for (const [line, has, not = []] of CASES) {
      it(`offers in ${shell} for "${line}": ${has.join(" ")}`, async function () {
        if (!isThere(shell)) this.skip();
        const { stdout } = await callCli(["completion", shell], {}, WITH_EXEC);
        const offered = complete(stdout, line).split("\n");
        expect(offered).to.include.members([...has]);
        for (const word of not) expect(offered).to.not.include(word);
      });
    }
  }

  it("is taken by zsh", async function () {
    if (!isThere("zsh")) this.skip();
    for (const commands of [WITH_EXEC, COMMANDS]) {
      const { stdout } = await callCli(["completion", "zsh"], {}, commands);
      run("zsh", ["-f", "-n"], stdout);
      const loading = "autoload -Uz compinit && compinit -u -D";
      const loaded = run("zsh", ["-f"], `${loading}\n${stdout}\nprint -- $_comps[quorate]\n`);
      expect(loaded).to.equal("_quorate\n");
    }
  });

  for (const shell of ["bash", "zsh", "fish"]) {
    it(`has each command and each option for ${shell}`, async () => {
      const { stdout, code } = await callCli(["completion", shell]);
      expect(code).to.equal(0);
      for (const { name, options } of COMMANDS) {
        expect(stdout).to.include(name);
        for (const option of Object.keys({ ...options, ...GLOBAL_OPTIONS })) {
          expect(stdout).to.include(shell === "fish" ? `-l ${option}` : `--${option}`);
        }
      }
    });
  }

  it("knows three shells, and needs no nodes", async () => {
    const { code, stderr } = await callCli(["completion", "bsh"]);
    expect(code).to.equal(64);
    expect(stderr).to.match(
      /completion needs one of bash, zsh, fish, got "bsh": did you mean bash\?/,
    );
  });
});
