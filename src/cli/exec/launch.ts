import { spawn } from "node:child_process";
import { Worker } from "node:worker_threads";
import { endingOf, type Ending } from "./ending.js";
import type { LauncherMessage, LaunchOptions, LaunchRequest } from "./launcher-messages.js";
import { unreapedStatus } from "./process-table.js";

/** A process that was started. */
export interface Launched {
  readonly pid: number;
  readonly ended: Promise<Ending>;
}

const PROGRAM = new URL("./launcher-main.js", import.meta.url);

/** Starts a process. @throws the error of the system */
export async function launch(
  program: string,
  args: readonly string[],
  options: LaunchOptions,
): Promise<Launched> {
  // Elsewhere, how a process ended cannot be read.
  if (process.platform !== "linux") return await launchHere(program, args, options);
  const gate = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const request: LaunchRequest = { program, args, options, gate };
  // Without what NODE_OPTIONS loads into this process.
  const worker = new Worker(PROGRAM, { workerData: request, env: {}, execArgv: [] });
  try {
    const pid = await startedBy(worker);
    return { pid, ended: endingOfLaunched(worker, pid, gate) };
  } catch (error) {
    // Where the working directory was removed, a process can start, but no thread.
    if ((error as NodeJS.ErrnoException).syscall !== "uv_cwd") throw error;
    return await launchHere(program, args, options);
  }
}

async function startedBy(worker: Worker): Promise<number> {
  return await new Promise((resolve, reject) => {
    worker.once("error", reject);
    worker.once("message", (message: LauncherMessage) => {
      if (message.kind === "started") return resolve(message.pid);
      const { code, message: text } = message as Extract<LauncherMessage, { kind: "failed" }>;
      reject(Object.assign(new Error(text), { code }));
    });
  });
}

function endingOfLaunched(worker: Worker, pid: number, gate: Int32Array): Promise<Ending> {
  let status: number | undefined;
  const look = (): void => {
    try {
      status = unreapedStatus(pid);
      if (status === undefined) return;
    } catch {
      // Hidden from us: what Node.js tells of it must do.
    }
    process.off("SIGCHLD", look);
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
  };
  process.on("SIGCHLD", look);
  look();
  return new Promise((resolve, reject) => {
    worker.on("message", (message: LauncherMessage) => {
      if (message.kind === "ended") resolve(endingOf(message.code, message.signal, status));
    });
    worker.once("error", reject);
  });
}

async function launchHere(
  program: string,
  args: readonly string[],
  options: LaunchOptions,
): Promise<Launched> {
  const child = spawn(program, args, options);
  const { pid } = child;
  if (pid === undefined) {
    const error = await new Promise((resolve) => child.once("error", resolve));
    throw error as Error;
  }
  const ended = new Promise<Ending>((resolve) => {
    child.once("exit", (code, signal) => resolve(endingOf(code, signal, undefined)));
  });
  return { pid, ended };
}
