import { rmSync } from "node:fs";
import { ageMs, readClocks, type GuardLine, type Sent } from "./guard-lines.js";
import { processTable, wasStartedWith } from "./process-table.js";
import { signalTo, terminate, type Target } from "./target.js";

/**
 * The guard: a separate process in its own session that stops a command when quorate cannot, because it was killed, is
 * suspended, or hangs. It reads from stdin until when the command may run. If stdin ends without an `end` line, quorate
 * is gone, and the command is stopped immediately.
 */

/** Interval between two checks of the clocks, ms. */
const LOOK_MS = 50;
/** The longest grace period of a command when quorate is gone, ms. */
const ORPHAN_GRACE_MS = 2_000;
/** How long it keeps killing what does not end, ms: a process may be in a system call that cannot be interrupted. */
const INSIST_MS = 5_000;
/** How long it looks for a command that was being started when quorate died, ms. */
const SEARCH_MS = 1_000;

let hello: Extract<GuardLine, { kind: "hello" }> | undefined;
let target: Target | undefined;
/** On both clocks: the first that reaches its time counts. */
let terminateAt: Sent | undefined;
let killAt: Sent | undefined;
let isTold = false;
let text = "";

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const)
  process.on(signal, () => {});
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  text += String(chunk);
  const lines = text.split("\n");
  text = lines.pop() ?? "";
  for (const line of lines) hear(JSON.parse(line) as GuardLine);
});
process.stdin.on("end", orphaned);
process.stdin.on("error", orphaned);
let timer = setTimeout(look, LOOK_MS);

function hear(line: GuardLine): void {
  switch (line.kind) {
    case "hello":
      hello = line;
      return;
    case "target":
      ({ target } = line);
      return look();
    case "until": {
      const now = readClocks();
      const age = ageMs(line.sent, now);
      terminateAt = after(now, line.terminateInMs - age);
      killAt = after(now, line.killInMs - age);
      return look();
    }
    case "stopping":
      isTold = true;
      return;
    case "end":
      process.exit(0);
  }
}

function look(): void {
  clearTimeout(timer);
  stopIfOver();
  const nextMs = [terminateAt, killAt].map(leftMs).filter((ms) => ms > 0);
  timer = setTimeout(look, Math.ceil(Math.min(LOOK_MS, ...nextMs)));
}

function stopIfOver(): void {
  if (hello === undefined) return;
  // quorate may have been suspended between the start of the command and the line that names it.
  if (isOver(terminateAt)) target ??= searched(hello.marks);
  if (target === undefined) return;
  if (isOver(terminateAt) && !isTold) {
    isTold = true;
    terminate(target, hello.signal);
  }
  if (isOver(killAt) && hello.kills && !signalTo(target, "SIGKILL")) process.exit(0);
}

/** quorate is gone: the lock is no longer renewed, and nothing else would stop the command. */
function orphaned(): void {
  if (hello === undefined) process.exit(0);
  const now = readClocks();
  const { dir, graceMs } = hello;
  if (dir !== undefined) rmSync(dir, { recursive: true, force: true });
  const orphanKillAt = after(now, Math.min(graceMs, ORPHAN_GRACE_MS));
  if (killAt === undefined || orphanKillAt.steadyMs < killAt.steadyMs) killAt = orphanKillAt;
  terminateAt = now;
  const searchUntil = after(now, SEARCH_MS);
  const endAt = after(killAt, hello.kills ? INSIST_MS : 0);
  setInterval(() => {
    stopIfOver();
    const isDone = target === undefined ? isOver(searchUntil) : !signalTo(target, 0);
    if (isDone || isOver(endAt)) process.exit(0);
  }, 10);
}

/** The group of a process with all the marks in its environment: a command that quorate could not name any more. */
function searched(marks: readonly string[]): Target | undefined {
  const found = processTable().find(({ pid }) => wasStartedWith(pid, marks));
  return found && { groupId: found.groupId };
}

function after({ steadyMs, wallMs }: Sent, ms: number): Sent {
  return { steadyMs: steadyMs + ms, wallMs: wallMs + ms };
}

function isOver(at: Sent | undefined): boolean {
  return leftMs(at) <= 0;
}

/** By the clock that gets there first, ms; infinite if there is no such time. */
function leftMs(at: Sent | undefined): number {
  if (at === undefined) return Number.POSITIVE_INFINITY;
  const now = readClocks();
  return Math.min(at.steadyMs - now.steadyMs, at.wallMs - now.wallMs);
}
