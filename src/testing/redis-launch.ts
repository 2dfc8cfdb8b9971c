import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { Socket } from "node:net";
import { forgetChild, killWithParent } from "./child-cleanup.js";
import { exitText } from "./exit-text.js";

/** Logged by a server when it has started. */
export const READY = "Ready to accept connections";
const PORT_TAKEN = /Address already in use|bind: |Failed listening on port/;

/** What to run. */
export interface LaunchPlan {
  readonly binary: string;
  readonly args: readonly string[];
  /** Added to this process's own environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly pidFile: string;
  readonly timeoutMs: number;
}

/** A server process that has accepted its configuration and is listening. */
export interface LaunchedProcess {
  readonly child: ChildProcess;
  /** The server's own pid; differs from the child's when the binary is a wrapper. */
  readonly pid: number;
  /** Resolves when the child has exited. */
  readonly exited: Promise<void>;
}

/** The server ended because another process uses its port. */
export class PortTakenError extends Error {
  override readonly name = "PortTakenError";
}

/**
 * Starts a server and waits until it reports that it accepts connections.
 *
 * @throws PortTakenError when it could not bind its port.
 * @throws Error when it cannot be run, exits, or is not ready within `timeoutMs`.
 */
export async function launchRedis(plan: LaunchPlan): Promise<LaunchedProcess> {
  const child = spawn(plan.binary, plan.args, {
    // Ctrl-C reaches the whole process group; this server ends with its parent instead.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...plan.env },
  });
  const childPid = child.pid;
  if (childPid !== undefined) killWithParent(childPid);
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => {
      if (childPid !== undefined) forgetChild(childPid);
      resolve();
    });
    child.once("error", () => resolve());
  });
  try {
    await whenReady(child, plan);
  } catch (error) {
    child.kill("SIGKILL");
    await exited;
    throw error;
  }
  const pid = readPid(plan.pidFile) ?? childPid ?? 0;
  if (pid !== childPid) {
    killWithParent(pid);
    child.once("exit", () => forgetChild(pid));
  }
  detach(child);
  return { child, pid, exited };
}

function whenReady(child: ChildProcess, plan: LaunchPlan): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = "";
    const timer = setTimeout(() => {
      reject(new Error(`${plan.binary} was not ready within ${plan.timeoutMs} ms\n${output}`));
    }, plan.timeoutMs);
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      if (!output.includes(READY)) return;
      clearTimeout(timer);
      // The rest is not needed, but a full pipe would block the server.
      child.stdout?.off("data", read).resume();
      child.stderr?.off("data", read).resume();
      resolve();
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("error", (error) => {
      clearTimeout(timer);
      reject(new Error(`cannot run ${plan.binary}: ${error.message}`, { cause: error }));
    });
    // "close" and not "exit": the last output says why it ended.
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      const message = `${plan.binary} ${exitText(code, signal)} before it was ready\n${output}`;
      reject(PORT_TAKEN.test(output) ? new PortTakenError(message) : new Error(message));
    });
  });
}

function readPid(file: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(file, "utf8"), 10);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** A server left running must not keep the host program from ending. */
function detach(child: ChildProcess): void {
  child.unref();
  for (const stream of [child.stdout, child.stderr]) {
    if (stream instanceof Socket) stream.unref();
  }
}
