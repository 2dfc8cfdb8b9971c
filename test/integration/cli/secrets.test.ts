import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect } from "chai";
import { processTable } from "../../../src/cli/exec/process-table.js";
import { RedisFleet } from "../../../src/testing/index.js";
import { cliFile, runCli, startCli, type CliResult } from "../../support/cli.js";
import { eventually } from "../../support/settle.js";
import { StampFolder } from "../../support/watched-command.js";

const PASSWORD = "hush-hush";
const HELD = `"$NODE" "$CLI" held "$QUORATE_NAME" --token "$QUORATE_FENCING_TOKEN"`;

describe("A command under locks on nodes with a password", () => {
  let fleet: RedisFleet;
  let urls: readonly string[];
  let stamps: StampFolder;
  const program = { NODE: process.execPath };

  before(async () => {
    fleet = await RedisFleet.start({ nodes: 3, server: { requirepass: PASSWORD } });
    urls = fleet.nodes.map(({ port }) => `redis://default:${PASSWORD}@127.0.0.1:${port}`);
  });
  after(() => fleet.stop());
  beforeEach(() => (stamps = new StampFolder()));
  afterEach(() => stamps[Symbol.dispose]());

  const bare = (): string => fleet.nodes.map(({ port }) => `redis://127.0.0.1:${port}`).join(",");
  const exec = (
    script: string,
    env: NodeJS.ProcessEnv,
    args: readonly string[] = [],
  ): Promise<CliResult> =>
    runCli(["exec", "secret", ...args, "-c", script], {
      env: { ...program, CLI: cliFile(), ...env },
    });

  const WAYS: readonly (readonly [
    title: string,
    given: () => { readonly env: NodeJS.ProcessEnv; readonly args?: readonly string[] },
  ])[] = [
    ["QUORATE_NODES", () => ({ env: { QUORATE_NODES: urls.join(",") } })],
    ["--nodes", () => ({ env: {}, args: ["--nodes", urls.join(",")] })],
    ["QUORATE_PASSWORD", () => ({ env: { QUORATE_NODES: bare(), QUORATE_PASSWORD: PASSWORD } })],
    [
      "QUORATE_PASSWORD for a config file",
      () => {
        stamps.write("c.json", JSON.stringify({ nodes: bare().split(",") }));
        return { env: { QUORATE_CONFIG: stamps.file("c.json"), QUORATE_PASSWORD: PASSWORD } };
      },
    ],
  ];
  for (const [title, given] of WAYS) {
    it(`is not told it, and knows whether its lock is held: ${title}`, async () => {
      const { env, args } = given();
      // The list of processes, as far as they name our folder.
      const ps = `for f in /proc/[0-9]*/cmdline; do tr '\\0' ' ' < $f; echo; done 2> /dev/null | grep -F ${stamps.dir}`;
      const isListed = process.platform === "linux";
      const script = `env; ${HELD} || exit 2; : ${stamps.dir}; ${isListed ? ps : ":"}`;
      const { code, stdout, stderr } = await exec(script, env, args);
      expect(code, stderr).to.equal(0);
      expect(`${stdout}${stderr}`).to.not.include(PASSWORD);
      if (title !== "--nodes") return;
      expect(stderr).to.match(/the password in --nodes is visible/);
      if (isListed) expect(stdout).to.match(/^quorate exec secret .*redis:\/\/\*\*\*@127/m);
    });

    it(`may ask the nodes itself with --pass-nodes: ${title}`, async () => {
      const { env, args = [] } = given();
      const script = `${HELD} --node-timeout 4s && [ -z "$QUORATE_SOCKET" ]`;
      const { code, stderr } = await exec(script, env, ["--pass-nodes", ...args]);
      expect(code, stderr).to.equal(0);
    });
  }

  it("is told by quorate when its lock is lost", async () => {
    const env = { QUORATE_NODES: urls.join(",") };
    // With the option, it asks the nodes itself, and may not.
    const alone = `${HELD} --node-timeout 1s; [ $? = 69 ] || exit 2`;
    const script = `${HELD} || exit 3; ${alone}; : > ${stamps.file("runs")}; while [ ! -e ${stamps.file("gone")} ]; do sleep 0.02; done; ${HELD}; echo held $?`;
    const running = exec(script, env, ["--on-loss", "ignore", "--ttl", "60s"]);
    await stamps.exists("runs");
    expect((await runCli(["release", "secret", "--force"], { env })).code).to.equal(0);
    stamps.write("gone", "");
    const { stdout } = await running;
    expect(stdout).to.match(/^held 1$/m);
  });

  it("asks others if it is told of others", async () => {
    const env = { QUORATE_NODES: urls.join(",") };
    const script = `QUORATE_NODES=redis://127.0.0.1:1 ${HELD}; echo others $?; QUORATE_KEY_PREFIX=x: ${HELD}; echo prefix $?; ${HELD}; echo own $?`;
    const { stdout } = await exec(script, env);
    expect(stdout).to.match(/^others 69\n(.*\n)?prefix 69\n(.*\n)?own 0\n$/);
  });

  it("leaves no socket behind, not even if quorate is killed; nor does its guard know a password", async function () {
    if (process.platform !== "linux") this.skip();
    const script = `echo "$QUORATE_SOCKET" > ${stamps.file("path")}; : > ${stamps.file("runs")}; exec sleep 60`;
    const cli = startCli(["exec", "secret", "-c", script], {
      env: { QUORATE_NODES: urls.join(",") },
    });
    await stamps.exists("runs");
    const path = stamps.text("path").trim();
    expect(existsSync(path)).to.equal(true);
    const children = processTable().filter(({ parentPid }) => parentPid === cli.child.pid);
    expect(children, "the guard and the command").to.have.length(2);
    for (const { pid } of children) {
      expect(readFileSync(`/proc/${pid}/environ`, "utf8")).to.not.include(PASSWORD);
    }
    cli.child.kill("SIGKILL");
    await cli.result;
    await eventually("the socket is gone", () => !existsSync(dirname(path)));
    const ended = await exec(`echo "$QUORATE_SOCKET"`, { QUORATE_NODES: urls.join(",") });
    expect(ended.stdout).to.match(/^\/.*held\n$/);
    expect(existsSync(dirname(ended.stdout.trim()))).to.equal(false);
  });
});

describe("quorate held in a command within a command", () => {
  it("tells the outer lock from the inner one by their tokens", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    const inner = `"$NODE" "$CLI" held outer --token $OUTER || exit 2; ${HELD} || exit 3`;
    const script = `OUTER=$QUORATE_FENCING_TOKEN "$NODE" "$CLI" exec inner -c '${inner}'`;
    const env = { NODE: process.execPath, CLI: cliFile(), QUORATE_NODES: fleet.urls.join(",") };
    for (const pass of [[], ["--pass-nodes"]]) {
      const { code, stderr } = await runCli(["exec", "outer", ...pass, "-c", script], { env });
      expect(code, stderr).to.equal(0);
    }
  });
});
