import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { Socket } from "node:net";
import { fileURLToPath } from "node:url";

const LABEL = "quorate.testing.session";

let session: string | undefined;

/**
 * Labels for the containers of this process. Containers with these labels are removed when the
 * process ends, even if it crashes or is killed.
 *
 * The reaper of testcontainers does this too, but it is a container whose image must be pulled
 * first, which is not possible on every machine.
 */
export function sessionLabels(): Record<string, string> {
  session ??= startWatchdog();
  return { [LABEL]: session };
}

function startWatchdog(): string {
  const id = randomUUID();
  const program = fileURLToPath(new URL("./container-watchdog.js", import.meta.url));
  const child = spawn(process.execPath, [program, `${LABEL}=${id}`], {
    // In its own session, because Ctrl-C reaches the whole process group of the terminal.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.once("error", () => {});
  child.stdin.on("error", () => {});
  child.unref();
  // The pipe must not keep the event loop alive either.
  if (child.stdin instanceof Socket) child.stdin.unref();
  return id;
}
