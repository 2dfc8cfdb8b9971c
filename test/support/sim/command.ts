import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("./run-command.js", import.meta.url));

export type Command = "simulate" | "replay" | "exhaust" | "exhaust-planted";

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** One of the simulator's commands in a process of its own: what it prints and ends with is the point. */
export function runCommand(command: Command, ...argv: string[]): Ended {
  const args = [PROGRAM, command, ...argv];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    maxBuffer: 64 << 20,
  });
  return { code: status, out: stdout, err: stderr };
}

export function startCommand(command: Command, ...argv: string[]): ChildProcess {
  return spawn(process.execPath, [PROGRAM, command, ...argv]);
}

/** Sends SIGINT as soon as the process has printed what is waited for; resolves to how it ended. */
export function interrupted(child: ChildProcess, shown: RegExp): Promise<Ended> {
  let out = "";
  let err = "";
  let isSent = false;
  const look = (): void => {
    if (isSent || !shown.test(`${out}\n${err}`)) return;
    isSent = true;
    child.kill("SIGINT");
  };
  child.stdout?.on("data", (chunk: Buffer) => {
    out += chunk.toString();
    look();
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    err += chunk.toString();
    look();
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, out, err }));
  });
}
