import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { choice, defineCommand, flag, list, text } from "../../src/cli/command.js";
import { COMPLETE } from "../../src/cli/complete.js";
import { callCli, cliFile } from "../support/cli.js";

const SIGNALS = ["TERM", "SIGTERM"];

/** A command with an option of each kind. */
const exec = defineCommand({
  name: "exec",
  summary: "Run a command, it's [one]: under a lock",
  synopsis: "NAME -- COMMAND",
  words: { min: 1, max: 9, title: "names" },
  takesCommand: true,
  options: {
    shared: flag({ short: "s", help: "beside others: don't [exclude]" }),
    signal: text({ value: "NAME", completes: SIGNALS, help: "what is sent" }),
    tty: choice(["auto", "always", "never"], { help: "whether it's a terminal [auto]" }),
    tag: list({ value: "TAG", help: "any number of them" }),
    wait: text({ short: "w", value: "D", help: "how long" }),
  },
  examples: ["quorate exec a -- b"],
  run: async () => 0,
});

const pick = defineCommand({
  name: "pick",
  summary: "Take one of three",
  synopsis: "ONE",
  words: { min: 1, max: 1, title: "one", choices: ["a", "b"] },
  options: {},
  examples: ["quorate pick a"],
  run: async () => 0,
});

const DESCRIBED = ["exec\tRun a command, it's [one]: under a lock", "pick\tTake one of three"];
/** What is offered for the last of these words; all that must be among it, and nothing that must not. */
const OFFERS: readonly (readonly [
  words: readonly string[],
  has: readonly string[],
  not?: readonly string[],
])[] = [
  [[""], DESCRIBED],
  [["ex"], DESCRIBED],
  [["-"], ["--json\tresults and errors as JSON"], ["--wait\thow long"]],
  [["exec", ""], [], DESCRIBED],
  [["unknown", ""], [], DESCRIBED],
  [["pick", ""], ["a", "b"], DESCRIBED],
  [["pick", "a", ""], [], ["a", "b"]],
  [["pick", "-"], ["--json\tresults and errors as JSON"], ["--wait\thow long"]],
  [
    ["exec", "--"],
    ["--wait\thow long", "--json\tresults and errors as JSON"],
  ],
  [["exec", "-w", "5", "--"], ["--tag\tany number of them"], ["--wait\thow long"]],
  [["exec", "-w5", "--"], ["--tag\tany number of them"]],
  [["exec", "--wait=5", "--"], ["--tag\tany number of them"], ["--wait\thow long"]],
  [["exec", "--tag", "a", "--"], ["--tag\tany number of them"]],
  [["exec", "--unknown", "--"], ["--wait\thow long"]],
  [["exec", "--wait", ""], [], ["--wait\thow long"]],
  [["exec", "--tty", ""], ["auto", "always", "never"], ["--wait\thow long"]],
  [
    ["exec", "--tty", "=", "a"],
    ["auto", "always", "never"],
  ],
  [["exec", "--tty=a"], ["--tty=auto", "--tty=never"], ["auto"]],
  [["exec", "--config=a"], [], [":file"]],
  [["exec", "--signal", ""], SIGNALS],
  [["--config", ""], [":file"]],
  [["--config", "exec", "ex"], DESCRIBED],
  [["exec", "a", "--", "ech"], [":command 3"]],
  [["exec", "a", "--", "echo", "-"], [":command 3"], ["--wait\thow long"]],
  [["pick", "a", "--", ""], [], [":command 3"]],
  [[], DESCRIBED],
];

/** What shells make of it. */
const CASES: readonly (readonly [line: string, has: readonly string[], not?: readonly string[]])[] =
  [
    ["quorate ", ["exec", "completion"], ["--json"]],
    ["quorate ex", ["exec"], ["completion"]],
    ["quorate completion ", ["bash", "zsh", "fish"], ["exec"]],
    ["quorate exec --", ["--shared", "--wait", "--nodes"]],
    ["quorate completion --", ["--json"], ["--wait"]],
    ["quorate exec --tty ", ["auto", "always", "never"], ["--wait"]],
    ["quorate exec -w 5 --shared --", ["--nodes", "--ttl"], ["--wait", "--shared"]],
    ["quorate exec --signal WI", ["WINCH"], ["STOP"]],
    ["quorate elect --signal SIGA", ["SIGABRT", "SIGALRM"], ["SIGSTOP"]],
    ["quorate --nodes exec ex", ["exec"]],
    ["quorate --config package-l", ["package-lock.json"]],
    ["quorate exec a -- ech", ["echo"]],
    ["quorate exec a -- cat package-l", ["package-lock.json"]],
    ["quorate exec -N a --", ["--nodes", "--wait"]],
  ];

function isThere(shell: string): boolean {
  return spawnSync(shell, ["-c", "true"]).status === 0;
}

function run(shell: string, args: readonly string[], input = ""): string {
  const { status, stdout, stderr } = spawnSync(shell, args, {
    input,
    encoding: "utf8",
    timeout: 50_000,
  });
  expect({ status, stderr }, stdout).to.deep.equal({ status: 0, stderr: "" });
  return stdout;
}

/**
 * Completes a line in an interactive zsh on a terminal of its own: $1 is the completion script, $2 the file for what is
 * offered, $3 the line, $6 the list of all completions. `compadd` is what all completion functions of zsh end in; with
 * -A, -D or -O it only filters.
 */
const ZSH_CAPTURE = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "OFFERED=\${(q)2} SCRIPT=\${(q)1} QUORATE=\${(q)5} DUMP=\${(q)6}; source \${(q)4}"
zpty -r shell begin '*LOADED*'
zpty -w -n shell "$3"$'\\t'
while zpty -r shell rest; do :; done
zpty -d shell
`;
const ZSH_SETUP = `
PROMPT=
autoload -Uz compinit && compinit -u -d $DUMP
quorate() { eval "$QUORATE "'"$@"' }
source $SCRIPT
bindkey '^I' complete-word
compadd() {
  if [[ " \${*[1,(i)(-|--)]} " != *" -"[ADO]" "* ]]; then
    local -a hits
    builtin compadd -A hits "$@"
    print -rl -- $hits >> $OFFERED
  fi
  builtin compadd "$@"
}
finish() { exit }
comppostfuncs=(finish)
print LOAD''ED
`;

let dumpDir: string | undefined;

/** The list of the completions that come with zsh, made once: that takes it longer than all else that it does here. */
function zshDump(): string {
  if (dumpDir === undefined) {
    dumpDir = mkdtempSync(join(tmpdir(), "quorate-zsh-"));
    const file = join(dumpDir, "dump");
    run("zsh", ["-f", "-c", 'autoload -Uz compinit && compinit -u -d "$1"', "zsh", file]);
  }
  return join(dumpDir, "dump");
}

/** Starts the program that ships. */
const PROGRAM = `'${process.execPath}' '${cliFile()}'`;

function completeInZsh(script: string, line: string): string {
  const dir = mkdtempSync(join(tmpdir(), "quorate-zsh-"));
  const file = (name: string, text: string): string => {
    writeFileSync(join(dir, name), text);
    return join(dir, name);
  };
  try {
    const args = [
      file("script", script),
      file("offered", ""),
      line,
      file("setup", ZSH_SETUP),
      PROGRAM,
      zshDump(),
    ];
    run("zsh", ["-f", file("capture", ZSH_CAPTURE), ...args]);
    // An option with a value is offered with what separates them.
    return readFileSync(join(dir, "offered"), "utf8").replaceAll(/=$/gm, "");
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Asks a shell for its completions of a line. */
const SHELLS: Readonly<Record<string, (script: string, line: string) => string>> = {
  bash: (script, line) => {
    const words = line.split(" ").map((word) => `'${word}'`);
    const ask = `COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}; _quorate; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return run("bash", ["--norc", "-s"], `quorate() { ${PROGRAM} "$@"; }\n${script}\n${ask}\n`);
  },
  fish: (script, line) => {
    const ask = `complete --do-complete '${line}'`;
    return run("fish", [
      "--no-config",
      "-c",
      `function quorate; ${PROGRAM} $argv; end\n${script}\n${ask}\n`,
    ]).replace(/\t.*$/gm, "");
  },
  zsh: completeInZsh,
};

describe("quorate completion", () => {
  after(() => {
    if (dumpDir !== undefined) rmSync(dumpDir, { recursive: true, force: true });
  });

  for (const [words, has, not = []] of OFFERS) {
    const offered = has.map((line) => line.split("\t")[0]);
    it(`offers for ${JSON.stringify(words)}: ${offered.join(" ")}`, async () => {
      const { code, stdout } = await callCli([COMPLETE, ...words], {}, [exec, pick]);
      expect(code).to.equal(0);
      const lines = stdout.split("\n");
      expect(lines).to.include.members([...has]);
      for (const line of not) expect(lines).to.not.include(line);
    });
  }

  for (const [shell, complete] of Object.entries(SHELLS)) {
    for (const [line, has, not = []] of CASES) {
      it(`offers in ${shell} for "${line}": ${has.join(" ")}`, async function () {
        if (!isThere(shell)) this.skip();
        const { stdout } = await callCli(["completion", shell]);
        const offered = complete(stdout, line).split("\n");
        expect(offered).to.include.members([...has]);
        for (const word of not) expect(offered).to.not.include(word);
      });
    }
  }

  it("offers bash files with spaces, folders to enter, and commands as they are", async function () {
    if (!isThere("bash")) this.skip();
    const { stdout: script } = await callCli(["completion", "bash"]);
    const dir = mkdtempSync(join(tmpdir(), "quorate-bash-"));
    try {
      mkdirSync(join(dir, "my folder"));
      for (const name of ["my file", "my*", "[q]", "q"]) writeFileSync(join(dir, name), "");
      const ofFiles = "-o filenames";
      for (const [words, has, not] of [
        [["--config", "my"], [ofFiles, "my file", "my folder"], "my"],
        [["exec", "a", "--", "cat", "my"], [ofFiles, "my file", "my folder"], "my"],
        // No pattern, which would stand for the files that it matches.
        [["exec", "a", "--", "cat", "'my*'"], [ofFiles, "my*"], "my file"],
        [["exec", "a", "--", "cat", "'['"], [ofFiles, "[q]"], "q"],
        [["exec", "a", "--", "./my"], [ofFiles, "./my folder"], "./my file"],
        [["exec", "a", "--", "comman"], ["command"], ofFiles],
      ] as const) {
        const ask = [
          `cd '${dir}'; quorate() { ${PROGRAM} "$@"; }`,
          script,
          // Bash has it only while somebody types.
          `compopt() { printf '%s %s\\n' "$@"; }`,
          `COMP_WORDS=(quorate ${words.join(" ")}); COMP_CWORD=${words.length}; _quorate`,
          `printf '%s\\n' "\${COMPREPLY[@]}"`,
        ];
        const said = run("bash", ["--norc", "-s"], ask.join("\n"));
        expect(said.split("\n"))
          .to.include.members([...has])
          .and.not.include(not);
      }
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

  it("is taken by zsh", async function () {
    if (!isThere("zsh")) this.skip();
    const { stdout } = await callCli(["completion", "zsh"]);
    run("zsh", ["-f", "-n"], stdout);
    const loading = `autoload -Uz compinit && compinit -u -d '${zshDump()}'`;
    const loaded = run("zsh", ["-f"], `${loading}\n${stdout}\nprint -- $_comps[quorate]\n`);
    expect(loaded).to.equal("_quorate\n");
  });

  it("knows three shells, and needs no nodes", async () => {
    const { code, stderr } = await callCli(["completion", "bsh"]);
    expect(code).to.equal(64);
    expect(stderr).to.match(
      /completion needs one of bash, zsh, fish, got "bsh": did you mean bash\?/,
    );
  });
});
