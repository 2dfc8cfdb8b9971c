import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { spawnWatchdog } from "./child-cleanup.js";

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
  if (session === undefined) {
    const id = randomUUID();
    const program = fileURLToPath(new URL("./container-watchdog.js", import.meta.url));
    spawnWatchdog(process.execPath, [program, `${LABEL}=${id}`]);
    session = id;
  }
  return { [LABEL]: session };
}
