import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CLOCK_SHIM_SOURCE } from "./clock-shim-source.js";
import { UnavailableError } from "./unavailable-error.js";

const FLAGS = ["-shared", "-fPIC", "-O2", "-x", "c", "-"];

let building: Promise<string> | undefined;

/**
 * Path of the library that bends a server's clock. It is compiled at first use with `CC`,
 * default `cc`, and kept for later runs in the system's directory for temporary files.
 *
 * @throws UnavailableError `QUORATE_TESTING_NO_CLOCK` where it cannot be compiled.
 */
export function clockShim(): Promise<string> {
  building ??= build();
  // A failure is not kept: the caller may install a compiler, or set CC, and try again.
  building.catch(() => (building = undefined));
  return building;
}

async function build(): Promise<string> {
  if (process.platform !== "linux") throw unavailable(`not on ${process.platform}, only on Linux`);
  const key = createHash("sha256").update(`${process.arch}\n${CLOCK_SHIM_SOURCE}`).digest("hex");
  const path = join(privateDir(), `${key.slice(0, 16)}.so`);
  if (existsSync(path)) return path;
  // Another process may be doing the same: whoever renames last wins, with the same file.
  const draft = `${path}.${process.pid}`;
  try {
    await compile(draft);
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
  return path;
}

/** What is preloaded runs with this user's rights, so nobody else may have put it there. */
function privateDir(): string {
  const uid = process.getuid?.() ?? 0;
  const dir = join(tmpdir(), `quorate-clock-${uid}`);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const stat = lstatSync(dir);
  if (stat.isDirectory() && stat.uid === uid && (stat.mode & 0o022) === 0) return dir;
  throw unavailable(`${dir} is not a directory that only this user can write`);
}

function compile(output: string): Promise<void> {
  const compiler = process.env["CC"] || "cc";
  return new Promise((resolve, reject) => {
    const child = spawn(compiler, [...FLAGS, "-o", output], { stdio: ["pipe", "ignore", "pipe"] });
    let words = "";
    child.stderr.on("data", (chunk: Buffer) => (words += chunk.toString()));
    child.once("error", (error) => {
      reject(unavailable(`no C compiler: cannot run ${compiler}: ${error.message}`, error));
    });
    child.once("close", (code) => {
      if (code === 0) resolve();
      else reject(unavailable(`${compiler} ended with ${code}\n${words}`));
    });
    child.stdin.on("error", () => {});
    child.stdin.end(CLOCK_SHIM_SOURCE);
  });
}

function unavailable(reason: string, cause?: unknown): UnavailableError {
  const message = `the clock of a server cannot be changed here: ${reason}`;
  return new UnavailableError("QUORATE_TESTING_NO_CLOCK", message, cause);
}
