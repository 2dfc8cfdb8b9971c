import type { LockManager, LockReport } from "../index.js";
import { durationText } from "./duration.js";
import { printable } from "./output.js";

/** One name as `ls` and `watch` show it. */
export interface NameRow {
  readonly name: string;
  /**
   * - `held`: by a quorum of nodes
   * - `undecided`: on too few nodes, or too few answered, or it is changing hands just now
   * - `free`: by nobody
   * - `data`: the key is somebody's data, and no lock
   */
  readonly state: "held" | "undecided" | "free" | "data";
  /** What kind of lock it is; absent where there is none. */
  readonly mode?: "exclusive" | "shared" | "semaphore" | "owned";
  /** Holders: readers, permits in use, holds of an owner. */
  readonly holderCount: number;
  /** What the first of them calls itself. */
  readonly label?: string;
  /** On how many nodes it stands. */
  readonly nodeCount: number;
  /** How long a quorum keeps it unless it is renewed, ms. */
  readonly remainingMs: number;
  readonly waitingCount: number;
}

/** Queries under way at once: as many as a node is asked in one go. */
const QUERIES = 256;

/** What stands under these names, in their order. */
export async function rowsOf(
  locks: LockManager,
  names: readonly string[],
): Promise<readonly NameRow[]> {
  const rows: NameRow[] = [];
  for (let from = 0; from < names.length; from += QUERIES) {
    const some = names.slice(from, from + QUERIES);
    rows.push(...(await Promise.all(some.map(async (name) => rowOf(await locks.query(name))))));
  }
  return rows;
}

export function rowOf({ name, state, holders, nodes, waitingCount }: LockReport): NameRow {
  const [first] = holders;
  const standing = nodes.filter((node) => node.state === "held" || node.state === "foreign");
  const isData = first === undefined && standing.length > 0;
  return {
    name,
    state: isData ? "data" : state,
    ...(first && { mode: modeOf(first) }),
    holderCount: holders.length,
    ...(first?.label !== undefined && { label: first.label }),
    nodeCount: standing.length,
    remainingMs: Math.max(0, ...holders.map(({ remainingMs }) => remainingMs)),
    waitingCount,
  };
}

/** Whether a name that was found is still locked, as far as the nodes answered. */
export function isStanding({ nodeCount, state }: NameRow): boolean {
  return nodeCount > 0 || state !== "free";
}

function modeOf({
  mode,
  owner,
  permit,
}: LockReport["holders"][number]): NonNullable<NameRow["mode"]> {
  if (permit !== undefined) return "semaphore";
  return owner === undefined ? mode : "owned";
}

export const NAME_HEADING = ["NAME", "STATE", "MODE", "HOLDER", "NODES", "LEFT", "WAITING"];

/** The cells of a row, under {@link NAME_HEADING}. */
export function cellsOf(row: NameRow, allCount: number): readonly string[] {
  const { name, state, mode = "-", label, holderCount, nodeCount, remainingMs, waitingCount } = row;
  const more = holderCount > 1 ? ` and ${holderCount - 1} more` : "";
  const holder = holderCount === 0 ? "-" : printable(label ?? "(no label)") + more;
  const left = holderCount === 0 ? "-" : durationText(remainingMs);
  const nodes = `${nodeCount} of ${allCount}`;
  return [printable(name), state, mode, holder, nodes, left, String(waitingCount)];
}
