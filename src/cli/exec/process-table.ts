import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** One process, as the system lists it. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parentPid: number;
  readonly groupId: number;
  /** Ended, and only not reaped by its parent. */
  readonly isZombie: boolean;
}

/** All processes that can be seen from here. */
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
export function entryOf(name: string): ProcessEntry | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${name}/stat`, "utf8");
  } catch {
    // Gone meanwhile.
    return undefined;
  }
  // The second field is the name, in parentheses, and may hold anything.
  const [state = "", parent, group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return {
    pid: Number.parseInt(stat, 10),
    parentPid: Number(parent),
    groupId: Number(group),
    isZombie: state === "Z" || state === "X",
  };
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
