import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { checkCommand, exitCodeOfSpawn } from "../../../src/cli/exec/command-path.js";
import { ExitError } from "../../../src/cli/exit-codes.js";

describe("The program of a command", () => {
  let root: string;
  let path: string;

  before(function () {
    // To root, no directory is closed, and Windows has no such modes.
    if (process.platform === "win32") this.skip();
    root = mkdtempSync(join(tmpdir(), "quorate-path-"));
    const file = (name: string, mode: number): void => {
      writeFileSync(join(root, name), "#!/bin/sh\n");
      chmodSync(join(root, name), mode);
    };
    for (const folder of ["one", "two", "one/folder"]) mkdirSync(join(root, folder));
    file("one/data", 0o644);
    file("one/shadowed", 0o644);
    file("two/shadowed", 0o755);
    file("two/program", 0o755);
    file("two/own", 0o700);
    symlinkSync("nowhere", join(root, "one/dangling"));
    path = ["one", "two", "missing"].map((folder) => join(root, folder)).join(":");
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  /** 0 if it can be run. */
  function exitCodeOf(program: string, searched?: string): number {
    try {
      checkCommand(program, searched);
      return 0;
    } catch (error) {
      if (error instanceof ExitError) return error.exitCode;
      throw error;
    }
  }

  const CASES: Readonly<Record<string, number>> = {
    program: 0,
    own: 0,
    shadowed: 0,
    data: 126,
    folder: 126,
    dangling: 127,
    other: 127,
    "": 127,
  };
  for (const [program, exitCode] of Object.entries(CASES)) {
    it(`${exitCode === 0 ? "can be run" : `exits ${exitCode}`} if it is ${JSON.stringify(program)} on the path`, () => {
      expect(exitCodeOf(program, path)).to.equal(exitCode);
    });
  }

  const FILES: Readonly<Record<string, number>> = {
    ...{ "two/program": 0, "one/data": 126, one: 126, "one/data/x": 127, "one/missing": 127 },
  };
  for (const [file, exitCode] of Object.entries(FILES)) {
    it(`${exitCode === 0 ? "can be run" : `exits ${exitCode}`} if it is the file ${file}, whatever the path is`, () => {
      expect(exitCodeOf(join(root, file), "")).to.equal(exitCode);
    });
  }

  it("is looked for in the folder that the process is in where the path has an empty part", () => {
    const cwd = process.cwd();
    process.chdir(join(root, "two"));
    try {
      expect(exitCodeOf("program", "/missing:")).to.equal(0);
      expect(exitCodeOf("program", "/missing")).to.equal(127);
    } finally {
      process.chdir(cwd);
    }
  });

  it("is looked for in the usual folders without a path", () => {
    expect(exitCodeOf("sh")).to.equal(0);
  });

  it("has the exit codes of a shell where the system does not start it", () => {
    const failed = (code: string): Error => Object.assign(new Error(code), { code });
    expect(exitCodeOfSpawn(failed("ENOENT"))).to.equal(127);
    for (const code of ["EACCES", "ENOEXEC", "E2BIG"]) {
      expect(exitCodeOfSpawn(failed(code))).to.equal(126);
    }
  });
});
