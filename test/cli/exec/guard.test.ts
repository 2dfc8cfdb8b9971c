import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
});
