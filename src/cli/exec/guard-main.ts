import { readdirSync, readFileSync } from "node:fs";
import { ageMs, readClocks, type GuardLine, type Sent } from "./guard-lines.js";
import { entryOf } from "./process-table.js";
import { signalTo, terminate, type Target } from "./target.js";

/**
 * The guard: a process of its own, in a session of its own, that stops a command when quorate cannot, because it was killed,
 * suspended, or hangs. It is told by its stdin until when the command may run; when that ends without a word, quorate is
 * gone, and the command is stopped at once.
 */

/** Longest time between two looks at the clocks, ms. */
const LOOK_MS = 50;
/** Longest time that a command is given when quorate is gone, ms. */
const ORPHAN_GRACE_MS = 2_000;
/** How long it goes on killing what does not go away, ms: what the system holds in a call that cannot be interrupted. */
const INSIST_MS = 5_000;
/** How long it looks for a command that was being started when quorate died, ms. */
const SEARCH_MS = 1_000;

let hello: Extract<GuardLine, { kind: "hello" }> | undefined;
let target: Target | undefined;
/** By both clocks: it is over when the first says so. */
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
setInterval(look, LOOK_MS);

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

/** quorate is gone: nobody renews the lock any more, and nobody would stop the command. */
function orphaned(): void {
  if (hello === undefined) process.exit(0);
  const now = readClocks();
  const { graceMs } = hello;
  const orphanKillAt = after(now, Math.min(graceMs, ORPHAN_GRACE_MS));
  if (killAt === undefined || orphanKillAt.steadyMs < killAt.steadyMs) killAt = orphanKillAt;
  terminateAt = now;
  const searchUntil = after(now, SEARCH_MS);
  const endAt = after(killAt, hello.kills ? INSIST_MS : 0);
  setInterval(() => {
    look();
    const isDone = target === undefined ? isOver(searchUntil) : !signalTo(target, 0);
    if (isDone || isOver(endAt)) process.exit(0);
  }, 10);
}

/** The group of a process that has all the marks in its environment: a command whose process was not told any more. */
function searched(marks: readonly string[]): Target | undefined {
  if (process.platform !== "linux") return undefined;
  for (const pid of readdirSync("/proc")) {
    if (!/^\d/.test(pid)) continue;
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
      if (!marks.every((mark) => environment.includes(mark))) continue;
      const entry = entryOf(pid);
      if (entry !== undefined) return { groupId: entry.groupId };
    } catch {
      // Gone, or somebody else's.
    }
  }
  return undefined;
}

function after({ steadyMs, wallMs }: Sent, ms: number): Sent {
  return { steadyMs: steadyMs + ms, wallMs: wallMs + ms };
}

function isOver(at: Sent | undefined): boolean {
  if (at === undefined) return false;
  const now = readClocks();
  return now.steadyMs >= at.steadyMs || now.wallMs >= at.wallMs;
}
