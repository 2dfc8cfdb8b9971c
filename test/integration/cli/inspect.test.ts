import { spawnSync } from "node:child_process";
import { expect } from "chai";
import { LockManager, type ForceReleaseResult, type LockReport } from "../../../src/index.js";
import { RedisFleet } from "../../../src/testing/index.js";
import { callCli, cliFile, environment, PATIENTLY, runCli } from "../../support/cli.js";
import { expectSchema } from "../../support/cli-schema.js";
import { allHold, at } from "../../support/nodes.js";
import { PATIENT } from "../../support/patient.js";
import { ownerIdOf } from "../../../src/manager/lock.js";

describe("quorate inspect and release", () => {
  let fleet: RedisFleet;
  let locks: LockManager;
  let env: NodeJS.ProcessEnv;

  before(async () => {
    fleet = await RedisFleet.start({ nodes: 3 });
    locks = new LockManager(fleet.urls, { ...PATIENT, label: "web \u001B[31m1" });
    await locks.ready({ all: true });
    env = { QUORATE_NODES: fleet.urls.join(",") };
  });
  after(async () => {
    await locks.close();
    await fleet.stop();
  });

  const call = (...args: readonly string[]) => callCli([...args, ...PATIENTLY], env);

  it("show who holds a name, and end that lock", async () => {
    const lock = await locks.acquire("job");
    await allHold(fleet.nodes, "job");
    const shown = await call("inspect", "job");
    expect(shown.code).to.equal(0);
    expect(shown.stdout).to.match(/^job is held, token of the last grant \d+ at most\n/);
    expect(shown.stdout).to.match(
      /\nweb \\x1b\[31m1 {2}[0-9a-f]{8} {5}exclusive {2}\d+\.\d s +3 of 3\n/,
    );
    expect(shown.stdout).to.not.include(ownerIdOf(lock)).and.not.include("\u001B");

    const report = expectSchema(
      "inspect",
      (await call("inspect", "job", "--json")).stdout,
    ) as LockReport;
    const {
      remainingMs: _,
      freeInMs: __,
      ...expected
    } = { ...at((await locks.inspect("job")).holders, 0) };
    expect(at(report.holders, 0)).to.deep.include(expected);

    const { fingerprint } = expected;
    const other = await call("release", "job", "--force", "--fingerprint", "00000000");
    expect(other).to.deep.include({
      code: 0,
      stdout: "nothing to release: job is not held by 00000000\n",
    });
    lock.assertHeld();
    const released = await call("release", "job", "--force", "--fingerprint", fingerprint);
    expect(released.code).to.equal(0);
    expect(released.stdout).to.match(/^released job on 3 of 3 nodes\nweb .* {2}[0-9a-f]{8} /);
    await lock.extend().catch(() => {});
    expect(lock.isHeld).to.equal(false);

    const none = await call("release", "job", "--force");
    expect(none).to.deep.include({ code: 0, stdout: "nothing to release: job is not held\n" });
    const again = await call("release", "job", "--force", "--json");
    const result = expectSchema("release", again.stdout) as ForceReleaseResult;
    expect(result).to.deep.include({ name: "job", removed: [], isQuorate: true });
    expect((await call("inspect", "job")).stdout).to.match(/^job is free/);
  });

  it("exit 69 without a quorum, and say which nodes do not answer", async () => {
    await Promise.all(fleet.nodes.slice(1).map((node) => node.pause()));
    try {
      const args = ["--node-timeout", "200ms"];
      const shown = await callCli(["inspect", "job", ...args], env);
      expect(shown.code).to.equal(69);
      expect(shown.stdout)
        .to.match(/^job is undecided/)
        .and.match(/127\.0\.0\.1:\d+ {2}unanswered: /);
      const released = await callCli(["release", "job", "--force", "--json", ...args], env);
      expect(released.code).to.equal(69);
      const { error } = expectSchema("error", released.stderr) as { error: object };
      expect(error).to.include({ exitCode: 69, code: "QUORATE_UNREACHABLE" });
    } finally {
      await Promise.all(fleet.nodes.slice(1).map((node) => node.resume()));
    }
  });

  it("work as a process, whose reader may leave", async () => {
    expect(await runCli(["inspect", "other", ...PATIENTLY], { env })).to.deep.include({
      code: 0,
      signal: null,
      stderr: "",
    });
    const shell = `"$0" "$1" inspect other ${PATIENTLY.join(" ")} | true; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = spawnSync("bash", ["-c", shell, process.execPath, cliFile()], {
      env: environment(env),
      encoding: "utf8",
    });
    expect({ stdout, stderr }).to.deep.equal({ stdout: "0\n", stderr: "" });
  });
});
