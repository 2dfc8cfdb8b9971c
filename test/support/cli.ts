import { spawn, type ChildProcessByStdio } from "node:child_process";
import { join } from "node:path";
import { Writable, type Readable } from "node:stream";
import { main } from "../../src/cli/main.js";
import type { Command } from "../../src/cli/command.js";
import type { ExitCode } from "../../src/cli/exit-codes.js";
import { outputOf } from "./script-output.js";

/** The program as it ships, bundled when it is first used. */
export function cliFile(): string {
  file ??= join(outputOf("bundle-cli.mjs"), "quorate.mjs");
  return file;
}

let file: string | undefined;

/** What a command line came to. */
export interface CliResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** For a machine that may stand still for a second or two: by default nodes have less than that to answer. */
export const PATIENTLY = ["--node-timeout", "4s"] as const;

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

/** How `quorate` is started. */
export interface StartOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Words in front of its command line, such as `unshare`. */
  readonly before?: readonly string[];
  /** File descriptors from 3 on. */
  readonly fds?: readonly number[];
}

/** Starts `quorate` as a process of its own. */
export function startCli(args: readonly string[], options: StartOptions = {}): CliProcess {
  const { before = [], fds = [] } = options;
  const [program = "", ...all] = [...before, process.execPath, cliFile(), ...args];
  const child = spawn(program, all, {
    env: environment(options.env),
    stdio: ["ignore", "pipe", "pipe", ...fds],
  }) as CliProcess["child"];
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
): Promise<{ readonly code: ExitCode; readonly stdout: string; readonly stderr: string }> {
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
