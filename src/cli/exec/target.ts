import { processTable, type ProcessEntry } from "./process-table.js";

/** The processes of a command: who is signalled when it has to stop. */
export interface Target {
  /** The process group of the command; that of quorate itself if the command has the terminal. */
  readonly groupId: number;
  /**
   * Only in a terminal, where the group is not the command's alone: the process of the command, by which those that came
   * from it are known, also in groups of their own, as the jobs of a shell are.
   */
  readonly rootPid?: number;
  /** Processes of the group that are not the command's: quorate, and others of the same pipeline. */
  readonly spared?: readonly number[];
}

/** @returns whether there was anybody to signal; with signal 0 nothing is sent */
export function signalTo(target: Target, signal: NodeJS.Signals | 0): boolean {
  // One call for all, where that is possible: nobody can fork away from it.
  if (target.rootPid === undefined) return send(-target.groupId, signal);
  return membersOf(target).filter((pid) => send(pid, signal)).length > 0;
}

/** Asks to stop: what is suspended has to run to be able to. */
export function terminate(target: Target, signal: NodeJS.Signals): void {
  signalTo(target, signal);
  signalTo(target, "SIGCONT");
}

/** Processes of the command that have not ended. */
export function membersOf(
  target: Target,
  table: readonly ProcessEntry[] = processTable(),
): readonly number[] {
  const { groupId, rootPid, spared = [] } = target;
  const living = table.filter(({ isZombie, pid }) => !isZombie && !spared.includes(pid));
  if (rootPid === undefined) return inGroups(living, new Set([groupId]));
  const family = familyOf(rootPid, living);
  return inGroups(living, new Set([groupId, ...family.map((entry) => entry.groupId)]));
}

function inGroups(table: readonly ProcessEntry[], groups: ReadonlySet<number>): readonly number[] {
  return table.filter(({ groupId }) => groups.has(groupId)).map(({ pid }) => pid);
}

/** A process and all that descend from it. */
function familyOf(rootPid: number, table: readonly ProcessEntry[]): readonly ProcessEntry[] {
  const family = table.filter(({ pid }) => pid === rootPid);
  for (const parent of family) {
    family.push(
      ...table.filter((entry) => entry.parentPid === parent.pid && !family.includes(entry)),
    );
  }
  return family;
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    // Somebody else's, and there; else it is gone.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
