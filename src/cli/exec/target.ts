import { processTable, wasStartedWith, type ProcessEntry } from "./process-table.js";

/** The processes of a command, which are signalled when it must stop. */
export interface Target {
  /** The process group of the command; quorate's own group if the command has the terminal. */
  readonly groupId: number;
  /**
   * Only in a terminal, where the group is not the command's alone: the process of the command. Its descendants belong
   * to the command too, even in groups of their own, such as the jobs of a shell.
   */
  readonly rootPid?: number;
  /** Processes of the group that are not the command's: quorate, and others of the same pipeline. */
  readonly spared?: readonly number[];
  /**
   * Only in a terminal: identifies jobs whose shell has ended. They are in the session of the terminal and were started
   * with these variables.
   */
  readonly orphans?: { readonly sessionId: number; readonly variables: readonly string[] };
}

/** @returns whether there was a process to signal; with signal 0 nothing is sent */
export function signalTo(target: Target, signal: NodeJS.Signals | 0): boolean {
  // One call for the whole group, where possible: no process can escape it by forking.
  if (target.rootPid === undefined) return send(-target.groupId, signal);
  return membersOf(target).filter((pid) => send(pid, signal)).length > 0;
}

/** Asks the processes to stop. SIGCONT, because a suspended process must run to be able to. */
export function terminate(target: Target, signal: NodeJS.Signals): void {
  signalTo(target, signal);
  signalTo(target, "SIGCONT");
}

/** Processes of the command that have not ended. */
export function membersOf(
  target: Target,
  table: readonly ProcessEntry[] = processTable(),
): readonly number[] {
  const { groupId, rootPid, spared = [], orphans } = target;
  const living = table.filter(({ isZombie, pid }) => !isZombie && !spared.includes(pid));
  if (rootPid === undefined) return inGroups(living, new Set([groupId]));
  const isOrphan = ({ pid, sessionId }: ProcessEntry): boolean =>
    orphans !== undefined &&
    sessionId === orphans.sessionId &&
    wasStartedWith(pid, orphans.variables);
  const roots = living.filter((entry) => entry.pid === rootPid || isOrphan(entry));
  const family = familyOf(roots, living);
  return inGroups(living, new Set([groupId, ...family.map((entry) => entry.groupId)]));
}

function inGroups(table: readonly ProcessEntry[], groups: ReadonlySet<number>): readonly number[] {
  return table.filter(({ groupId }) => groups.has(groupId)).map(({ pid }) => pid);
}

/** Processes and all their descendants. */
function familyOf(
  roots: readonly ProcessEntry[],
  table: readonly ProcessEntry[],
): readonly ProcessEntry[] {
  const family = [...roots];
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
    // EPERM: it exists, but belongs to another user. Otherwise it is gone.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
