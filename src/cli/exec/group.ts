import type { Ending } from "./ending.js";
import { launch } from "./launch.js";
import type { LaunchOptions } from "./launcher-messages.js";
import { processTable } from "./process-table.js";
import { membersOf, signalTo, terminate, type Target } from "./target.js";

/** How often to check whether all have ended, ms. */
const LOOK_MS = 10;

/** A running command, with all processes of its group. */
export class CommandGroup {
  readonly target: Target;
  /** Settles when the command itself has ended; others of its group may still run. */
  readonly ended: Promise<Ending>;

  constructor(ended: Promise<Ending>, target: Target) {
    this.target = target;
    this.ended = ended;
  }

  signal(signal: NodeJS.Signals): void {
    signalTo(this.target, signal);
  }

  terminate(signal: NodeJS.Signals): void {
    terminate(this.target, signal);
  }

  /** Processes that have not ended. */
  members(): readonly number[] {
    return membersOf(this.target);
  }

  /**
   * Kills the rest of the group repeatedly, until nothing is left or `isOver` returns true.
   *
   * @returns whether all are gone
   */
  async killAll(isOver: () => boolean): Promise<boolean> {
    for (;;) {
      const isEmpty = this.target.rootPid === undefined && !signalTo(this.target, 0);
      // Zombies still count as members of the group for the system.
      if (isEmpty || this.members().length === 0) return true;
      if (isOver()) return false;
      this.signal("SIGKILL");
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
}

/** How a command is started. */
export interface StartOptions extends Omit<LaunchOptions, "detached"> {
  /** Whether it stays in the group of this process. */
  readonly isInTerminal: boolean;
  /** Variables (`NAME=value`) of its environment that identify its processes. */
  readonly marks: readonly string[];
  /** Called as soon as the process is known. */
  readonly onTarget: (target: Target) => void;
}

/**
 * Starts a command. It is killed if this process can no longer know when it ends.
 *
 * @throws the error of the system if it cannot be started
 */
export async function startGroup(
  [program = "", ...args]: readonly string[],
  { isInTerminal, marks, onTarget, ...options }: StartOptions,
): Promise<CommandGroup> {
  const terminal = isInTerminal ? inTerminal(marks) : undefined;
  const { pid, ended } = await launch(program, args, { ...options, detached: !isInTerminal });
  const target = terminal === undefined ? { groupId: pid } : { ...terminal, rootPid: pid };
  onTarget(target);
  const known = ended.catch((error: unknown) => {
    signalTo(target, "SIGKILL");
    throw error;
  });
  return new CommandGroup(known, target);
}

/** What a command shares with others in a terminal; called before it is started. */
function inTerminal(variables: readonly string[]): Omit<Target, "rootPid"> {
  const table = processTable();
  const sessionId = table.find(({ pid }) => pid === process.pid)?.sessionId;
  const group = table.filter(({ groupId }) => groupId === process.pid);
  return {
    groupId: process.pid,
    spared: group.map(({ pid }) => pid),
    ...(sessionId !== undefined && { orphans: { sessionId, variables } }),
  };
}
