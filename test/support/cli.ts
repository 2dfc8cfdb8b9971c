import { spawn, type ChildProcessByStdio } from "node:child_process";
import { Writable, type Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { main } from "../../src/cli/main.js";
import type { Command } from "../../src/cli/command.js";

/** The program as it is compiled, not bundled. */
export const CLI = fileURLToPath(new URL("../../src/cli/quorate.js", import.meta.url));

/** What a command line came to. */
export interface CliResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process of `quorate`, and what it comes to. */
export interface CliProcess {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly result: Promise<CliResult>;
}

/** Without what the surroundings of the tests may say. */
export function environment(extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("QUORATE_"));
  return { ...Object.fromEntries(own), NO_COLOR: "1", ...extra };
}

/** Starts `quorate` as a process of its own. */
export function startCli(
  args: readonly string[],
  options: { readonly env?: NodeJS.ProcessEnv; readonly cwd?: string } = {},
): CliProcess {
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd: options.cwd,
    env: environment(options.env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => (said.stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (said.stderr += chunk.toString()));
  const result = new Promise<CliResult>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal, ...said }));
  });
  return { child, result };
}

/** Runs `quorate` to its end. */
export function runCli(...given: Parameters<typeof startCli>): Promise<CliResult> {
  return startCli(...given).result;
}

/** Runs a command line in this process. */
export async function callCli(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  commands?: readonly Command[],
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const said = { stdout: "", stderr: "" };
  const into = (name: keyof typeof said): Writable =>
    new Writable({
      write: (chunk: Buffer, _, done) => {
        said[name] += chunk.toString();
        done();
      },
    });
  const streams = { stdout: into("stdout"), stderr: into("stderr") };
  const code = await main({ args, env: { NO_COLOR: "1", ...env }, ...streams }, commands);
  return { code, ...said };
}
