import type { LockManager, LockReport } from "../index.js";
import { durationText } from "./duration.js";
import { printable } from "./output.js";

/** One name as `ls` and `watch` show it. */
export interface NameRow {
  readonly name: string;
  /**
   * - `held`: on a quorum of nodes
   * - `undecided`: on too few nodes, or too few answered, or it is being handed over
   * - `free`: on a quorum of nodes
   * - `data`: the key holds other data, not a lock
   */
  readonly state: "held" | "undecided" | "free" | "data";
  /** The kind of lock; absent if there is none. */
  readonly mode?: "exclusive" | "shared" | "semaphore" | "owned";
  /** Holders: readers, permits in use, holds of an owner. */
  readonly holderCount: number;
  /** The label of the first holder. */
  readonly label?: string;
  /** Number of nodes that have the key. */
  readonly nodeCount: number;
  /** How much of the holder's lease is left at least, ms. */
  readonly remainingMs: number;
  /** How long a quorum keeps it unless it is renewed, ms. */
  readonly freeInMs: number;
  readonly waitingCount: number;
}

/** Maximum number of concurrent queries: as many as one batch to a node takes. */
const QUERIES = 256;

/** One row per name, in the same order. */
export async function rowsOf(
  locks: LockManager,
  names: readonly string[],
): Promise<readonly NameRow[]> {
  const rows: NameRow[] = [];
  for (let from = 0; from < names.length; from += QUERIES) {
    const some = names.slice(from, from + QUERIES);
    rows.push(...(await Promise.all(some.map(async (name) => rowOf(await locks.inspect(name))))));
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
    freeInMs: Math.max(0, ...holders.map(({ freeInMs }) => freeInMs)),
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

export const NAME_HEADING = ["NAME", "STATE", "MODE", "HOLDER", "NODES", "FREE IN", "WAITING"];

/** The cells of a row, under {@link NAME_HEADING}. */
export function cellsOf(row: NameRow, allCount: number): readonly string[] {
  const { name, state, mode = "-", label, holderCount, nodeCount, freeInMs, waitingCount } = row;
  const more = holderCount > 1 ? ` and ${holderCount - 1} more` : "";
  const holder = holderCount === 0 ? "-" : printable(label ?? "(no label)") + more;
  const left = holderCount === 0 ? "-" : durationText(freeInMs);
  const nodes = `${nodeCount} of ${allCount}`;
  return [printable(name), state, mode, holder, nodes, left, String(waitingCount)];
}
