import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { readClocks, type GuardLine } from "../../../src/cli/exec/guard-lines.js";

const GUARD = fileURLToPath(new URL("../../../src/cli/exec/guard-main.js", import.meta.url));

describe("The guard of a command that it was not told of", () => {
  const children: ChildProcess[] = [];
  before(function () {
    // It knows the command by its environment.
    if (process.platform !== "linux") this.skip();
  });
  afterEach(() => children.splice(0).forEach((child) => child.kill("SIGKILL")));

  function start(file: string, args: string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
    const child = spawn(file, args, {
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
      env: { ...process.env, ...env },
    });
    children.push(child);
    return child;
  }

  for (const { title, ends } of [
    { title: "stops it when its time is over, though quorate is still there", ends: false },
    { title: "stops it when quorate is gone", ends: true },
  ]) {
    it(title, async () => {
      const mark = randomUUID();
      const [command, other] = [mark, randomUUID()].map((value) =>
        start("sleep", ["60"], { QUORATE_MARK: value }),
      );
      if (command === undefined || other === undefined) throw new Error("there are two");
      await Promise.all([command, other].map((child) => once(child, "spawn")));
      const ended = once(command, "exit");
      const guard = start(process.execPath, [GUARD]);
      const gone = once(guard, "exit");
      const marks = [`QUORATE_MARK=${mark}`];
      const dir = mkdtempSync(join(tmpdir(), "quorate-guard-"));
      const ms = ends ? 60_000 : 100;
      const lines: GuardLine[] = [
        { kind: "hello", signal: "SIGTERM", graceMs: 100, kills: true, marks, dir },
        { kind: "until", sent: readClocks(), terminateInMs: ms, killInMs: ms },
      ];
      for (const line of lines) guard.stdin?.write(`${JSON.stringify(line)}\n`);
      if (ends) guard.stdin?.end();
      const [, signal] = (await ended) as [number | null, NodeJS.Signals];
      expect(signal).to.be.oneOf(["SIGTERM", "SIGKILL"]);
      expect((await gone)[0], "nothing is left to guard").to.equal(0);
      expect(existsSync(dir), "what quorate could not remove").to.equal(!ends);
      rmSync(dir, { recursive: true, force: true });
      expect(other.signalCode, "of another command").to.equal(null);
    });
  }

  for (const { graceMs, leastMs } of [
    { graceMs: 300, leastMs: 300 },
    { graceMs: 600_000, leastMs: 2_000 },
  ]) {
    it(`gives it ${leastMs} ms of a grace period of ${graceMs} ms when quorate is gone`, async () => {
      const mark = randomUUID();
      const script = `trap "" TERM; while :; do sleep 0.05; done`;
      const command = start("sh", ["-c", script], { QUORATE_MARK: mark });
      await once(command, "spawn");
      // It ignores the signal from its first line on.
      await sleep(200);
      const ended = once(command, "exit");
      const guard = start(process.execPath, [GUARD]);
      await once(guard, "spawn");
      const marks = [`QUORATE_MARK=${mark}`];
      const far = { terminateInMs: 600_000, killInMs: 600_000 };
      const lines: GuardLine[] = [
        { kind: "hello", signal: "SIGTERM", graceMs, kills: true, marks, dir: undefined },
        { kind: "until", sent: readClocks(), ...far },
      ];
      for (const line of lines) guard.stdin?.write(`${JSON.stringify(line)}\n`);
      const fromMs = performance.now();
      guard.stdin?.end();
      expect((await ended)[1]).to.equal("SIGKILL");
      // The guard has to start, on a machine that may be busy.
      expect(performance.now() - fromMs).to.be.within(leastMs - 10, leastMs + 20_000);
    });
  }
});
