import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Writable } from "node:stream";

/**
 * Reads "+pid" and "-pid" lines. The pipe closes when the parent ends, however it ends; every
 * process that is then still listed is killed. With SIGKILL, because it also ends stopped processes.
 */
const WATCHDOG = `
trap '' INT TERM HUP
pids=' '
while read -r line; do
  pid=\${line#?}
  case $line in
    +*) pids="$pids$pid " ;;
    -*) case $pids in *" $pid "*) pids="\${pids%% $pid *} \${pids#* $pid }" ;; esac ;;
  esac
done
for pid in $pids; do kill -9 "$pid" 2>/dev/null; done
rm -rf "$1" 2>/dev/null || { sleep 1; rm -rf "$1"; }
`;

interface Watchdog {
  readonly root: string;
  readonly pipe: Writable;
}

let watchdog: Watchdog | undefined;

/**
 * Directory for the files of this process's servers. It is removed when the process ends, even if
 * it crashes or is killed.
 */
export function cleanupRoot(): string {
  return startWatchdog().root;
}

/** Has the process `pid` killed as soon as this process ends, however it ends. */
export function killWithParent(pid: number): void {
  startWatchdog().pipe.write(`+${pid}\n`);
}

/** Takes `pid` off the list. Call it when the process has exited, before the pid can be reused. */
export function forgetChild(pid: number): void {
  watchdog?.pipe.write(`-${pid}\n`);
}

/**
 * One shell for all servers. A handler in this process could not do this: nothing runs after
 * SIGKILL, and a handler for SIGINT would change how the host program reacts to it.
 */
function startWatchdog(): Watchdog {
  if (watchdog !== undefined) return watchdog;
  const root = mkdtempSync(join(tmpdir(), "quorate-redis-"));
  const pipe = spawnWatchdog("/bin/sh", ["-c", WATCHDOG, "quorate-watchdog", root]);
  watchdog = { root, pipe };
  return watchdog;
}

/**
 * Starts a process that outlives this one, and that keeps it from ending as little as its pipe does.
 *
 * @returns its input, which ends when this process does, however it ends
 */
export function spawnWatchdog(command: string, args: readonly string[]): Writable {
  const child = spawn(command, args, {
    // In its own session, because Ctrl-C reaches the whole process group of the terminal.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.once("error", () => {});
  child.stdin.on("error", () => {});
  child.unref();
  // The pipe must not keep the event loop alive either.
  if (child.stdin instanceof Socket) child.stdin.unref();
  return child.stdin;
}
