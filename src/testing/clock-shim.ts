import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CLOCK_SHIM_SOURCE } from "./clock-shim-source.js";
import { exitText } from "./exit-text.js";
import { UnavailableError } from "./unavailable-error.js";

const FLAGS = ["-shared", "-fPIC", "-O2", "-x", "c", "-", "-ldl"];

let building: Promise<string> | undefined;

/**
 * Path of the library that changes a server's clock. It is compiled on first use with `CC`
 * (default: `cc`) and cached for later runs in the system's temporary directory.
 *
 * @throws UnavailableError `QUORATE_TESTING_NO_CLOCK` if it cannot be compiled.
 */
export function clockShim(): Promise<string> {
  building ??= build();
  // Failures are not cached: the caller may install a compiler, or set CC, and try again.
  building.catch(() => (building = undefined));
  return building;
}

async function build(): Promise<string> {
  if (process.platform !== "linux") throw unavailable(`not on ${process.platform}, only on Linux`);
  const key = createHash("sha256").update(`${process.arch}\n${CLOCK_SHIM_SOURCE}`).digest("hex");
  const path = join(privateDir(), `${key.slice(0, 16)}.so`);
  if (existsSync(path)) return path;
  // Another process may be doing the same. The last rename wins, with an identical file.
  const draft = `${path}.${process.pid}`;
  try {
    await compile(draft);
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
  return path;
}

/** A preloaded library runs with this user's rights, so no other user may be able to write it. */
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
    child.once("close", (code, signal) => {
      if (code === 0) resolve();
      else reject(unavailable(`${compiler} ${exitText(code, signal)}\n${words}`));
    });
    child.stdin.on("error", () => {});
    child.stdin.end(CLOCK_SHIM_SOURCE);
  });
}

function unavailable(reason: string, cause?: unknown): UnavailableError {
  const message = `the clock of a server cannot be changed here: ${reason}`;
  return new UnavailableError("QUORATE_TESTING_NO_CLOCK", message, cause);
}
