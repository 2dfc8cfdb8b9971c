import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** One process, as the system lists it. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parentPid: number;
  readonly groupId: number;
  /** Known on Linux only. */
  readonly sessionId?: number;
  /** It has ended, but its parent has not reaped it yet. */
  readonly isZombie: boolean;
}

/** All processes that are visible from here. */
export function processTable(): readonly ProcessEntry[] {
  return process.platform === "linux" ? fromProc() : fromPs();
}

/** The process group that this process belongs to. */
export function ownGroupId(): number | undefined {
  if (process.platform === "linux") return entryOf("self")?.groupId;
  const text = execFileSync("ps", ["-o", "pgid=", "-p", String(process.pid)], { encoding: "utf8" });
  const id = Number(text.trim());
  return Number.isInteger(id) ? id : undefined;
}

function fromProc(): readonly ProcessEntry[] {
  return readdirSync("/proc").flatMap((name) => (/^\d/.test(name) ? (entryOf(name) ?? []) : []));
}

/** @param name of a folder of /proc: a process id, or "self" */
function entryOf(name: string): ProcessEntry | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${name}/stat`, "utf8");
  } catch {
    // It has ended in the meantime.
    return undefined;
  }
  // The second field is the name, in parentheses, and may contain anything.
  const [state = "", parent, group, session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return {
    pid: Number.parseInt(stat, 10),
    parentPid: Number(parent),
    groupId: Number(group),
    sessionId: Number(session),
    isZombie: state === "Z" || state === "X",
  };
}

/**
 * How a process ended that its parent has not reaped yet, as of wait(2). Linux only.
 *
 * @returns undefined while it runs; 0 if it may not be known, as of a program that changes its user
 * @throws Error if the process is not visible
 */
export function unreapedStatus(pid: number): number | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // See proc_pid_stat(5). They are counted from the third field, which follows the name.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, threadCount, status] = [fields[0], Number(fields[17]), Number(fields[49])];
  // Only the first of its threads may have ended.
  return (state === "Z" || state === "X") && threadCount <= 1 ? status : undefined;
}

/** Whether a process was started with all of these variables (`NAME=value`). Known on Linux only. */
export function wasStartedWith(pid: number, variables: readonly string[]): boolean {
  if (process.platform !== "linux") return false;
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    return variables.every((variable) => environment.includes(variable));
  } catch {
    // Gone, or another user's.
    return false;
  }
}

function fromPs(): readonly ProcessEntry[] {
  const args = ["-A", "-o", "pid=,ppid=,pgid=,stat="];
  const lines = execFileSync("ps", args, { encoding: "utf8" }).trim().split("\n");
  return lines.map((line) => {
    const [pid, parent, group, stat = ""] = line.trim().split(/\s+/);
    return {
      pid: Number(pid),
      parentPid: Number(parent),
      groupId: Number(group),
      isZombie: stat.startsWith("Z"),
    };
  });
}
