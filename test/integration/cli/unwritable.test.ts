import { existsSync } from "node:fs";
import { expect } from "chai";
import { COMMANDS } from "../../../src/cli/commands.js";
import { LockManager } from "../../../src/index.js";
import { RedisFleet } from "../../../src/testing/index.js";
import { PATIENTLY, runCli, type CliResult } from "../../support/cli.js";
import { PATIENT } from "../../support/patient.js";
import { StampFolder } from "../../support/watched-command.js";

/** A command line of each command that prints a result. `exec` prints none of its own. */
const PRINTING: Readonly<Record<string, readonly string[]>> = {
  elect: ["elect", "held", "--observe"],
  held: ["held", "held", "--token", "1", "--json"],
  inspect: ["inspect", "held"],
  ls: ["ls"],
  watch: ["watch", "held"],
  release: ["release", "free", "--force"],
  doctor: ["doctor"],
  bench: ["bench", "--duration", "100ms"],
  schema: ["schema", "ls"],
  completion: ["completion", "bash"],
};

/** One of each command that ends by itself, and its exit code; with `--verbose` it says something on stderr. */
const ENDING: Readonly<Record<string, readonly [code: number, ...args: readonly string[]]>> = {
  exec: [3, "exec", "one", "-c", "exit 3"],
  elect: [4, "elect", "two", "--on-exit", "stop", "-c", "exit 4"],
  held: [1, "held", "held", "--token", "1"],
  inspect: [0, "inspect", "held"],
  ls: [0, "ls"],
  watch: [64, "watch", "--interval", "never"],
  release: [64, "release", "held"],
  doctor: [0, "doctor"],
  bench: [0, "bench", "--duration", "100ms"],
  schema: [64, "schema", "nonsense"],
  completion: [64, "completion", "nonsense"],
};

describe("quorate where its output cannot be written", () => {
  let fleet: RedisFleet;
  let env: NodeJS.ProcessEnv;
  let locks: LockManager;

  before(async function () {
    if (!existsSync("/dev/full")) this.skip();
    fleet = await RedisFleet.start({ nodes: 3 });
    env = { QUORATE_NODES: fleet.urls.join(",") };
    locks = new LockManager(fleet.urls, PATIENT);
    await locks.ready({ all: true });
    await locks.acquire("held");
  });
  after(async () => {
    await locks?.close();
    await fleet?.stop();
  });

  const run = (args: readonly string[], shell: string): Promise<CliResult> =>
    runCli([args[0] ?? "", ...PATIENTLY, ...args.slice(1)], {
      env,
      before: ["bash", "-o", "pipefail", "-c", `"$0" "$@" ${shell}`],
    });

  it("is tried with every command", () => {
    const names = COMMANDS.map(({ name }) => name);
    expect(Object.keys(ENDING)).to.have.members(names);
    expect(["exec", ...Object.keys(PRINTING)]).to.have.members(names);
  });

  for (const [name, args] of Object.entries(PRINTING)) {
    it(`says so in a line, and exits 74: ${name}`, async () => {
      const { code, stderr } = await run(args, "> /dev/full");
      expect(stderr).to.match(/^quorate: cannot write the output: ENOSPC: .*\n$/m);
      expect(stderr).to.not.match(/^ +at /m);
      expect(code).to.equal(74);
    });

    it(`does as well as it can without stderr, too: ${name}`, async () => {
      expect((await run(args, "> /dev/full 2>&1")).code).to.equal(74);
    });

    it(`exits as it would where its reader has seen enough: ${name}`, async () => {
      // The reader is gone before anything is printed.
      const { code, stderr } = await run(args, "| true");
      expect(stderr).to.not.match(/^ +at |cannot write/m);
      expect(code).to.equal(name === "held" ? 1 : 0);
    });
  }

  it("renews a lock also while nobody reads its notes, as of a reader that stands still", async () => {
    using stamps = new StampFolder();
    // A pipe without room, whose reader goes on once the command has ended.
    const shell =
      'mkfifo "$DIR/pipe"; exec 9<> "$DIR/pipe"; head -c 65536 /dev/zero >&9; "$0" "$@" 2>&9 9>&- & ' +
      'until [ -e "$DIR/ended" ]; do sleep 0.1; done; cat <&9 > /dev/null & reader=$!; ' +
      "wait %1; code=$?; kill $reader; exit $code";
    const command =
      'end() { echo > "$DIR/ended"; exit $1; }; trap "end 9" TERM; echo > "$DIR/begun"; sleep 3 & wait; end 3';
    const running = runCli(["exec", "--verbose", "--ttl", "2s", "unread", "-c", command], {
      env: { ...env, DIR: stamps.dir },
      before: ["bash", "-c", shell],
    });
    await stamps.exists("begun");
    // So that there is something to say.
    await Promise.all(fleet.nodes.map((node) => node.command("CLIENT", "KILL", "TYPE", "normal")));
    expect((await running).code).to.equal(3);
  });

  for (const [name, [code, ...args]] of Object.entries(ENDING)) {
    for (const stderr of ["2> /dev/full", "2>&-", "2> >(true)"]) {
      it(`exits as it would where its notes are lost: ${name} ${stderr}`, async () => {
        const [word = "", ...rest] = args;
        expect((await run([word, "--verbose", ...rest], stderr)).code).to.equal(code);
      });
    }
  }
});
