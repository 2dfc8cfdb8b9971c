import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { Socket } from "node:net";
import { fileURLToPath } from "node:url";

const LABEL = "quorate.testing.session";

let session: string | undefined;

/**
 * Labels for the containers of this process. Whatever carries them is removed when the process
 * ends, also when it crashes or is killed.
 *
 * The reaper that testcontainers brings along does this too, but as a container of an image
 * that must be pulled first, which not every machine can.
 */
export function sessionLabels(): Record<string, string> {
  session ??= startWatchdog();
  return { [LABEL]: session };
}

function startWatchdog(): string {
  const id = randomUUID();
  const program = fileURLToPath(new URL("./container-watchdog.js", import.meta.url));
  const child = spawn(process.execPath, [program, `${LABEL}=${id}`], {
    // In a session of its own, as Ctrl-C reaches the whole process group of the terminal.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.once("error", () => {});
  child.stdin.on("error", () => {});
  child.unref();
  // Nor may the pipe keep the event loop alive.
  if (child.stdin instanceof Socket) child.stdin.unref();
  return id;
}
