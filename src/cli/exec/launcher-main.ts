import { spawn } from "node:child_process";
import { parentPort, workerData } from "node:worker_threads";
import type { LauncherMessage, LaunchRequest } from "./launcher-messages.js";

/**
 * A thread that starts a command, and stands still until the main thread has read how the command ended: Node.js reaps
 * a process in the thread that started it, and nothing can be read of it after that.
 */

const { program, args, options, gate } = workerData as LaunchRequest;
const tell = (message: LauncherMessage): void => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- for windows of a browser
  parentPort?.postMessage(message);
};
const fail = (error: NodeJS.ErrnoException): void => {
  tell({ kind: "failed", message: error.message, code: error.code });
};

try {
  const child = spawn(program, args, options);
  child.once("error", fail);
  child.once("exit", (code, signal) => tell({ kind: "ended", code, signal }));
  if (child.pid !== undefined) {
    tell({ kind: "started", pid: child.pid });
    Atomics.wait(gate, 0, 0);
  }
} catch (error) {
  // Such as a list of arguments that is too long.
  fail(error as NodeJS.ErrnoException);
}
