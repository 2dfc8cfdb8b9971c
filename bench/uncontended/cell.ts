/** A number of nodes, and of cycles in flight at any time. */
export interface Cell {
  readonly nodeCount: number;
  readonly inFlight: number;
}

/** What is measured in a cell. */
export interface CellPlan {
  readonly cell: Cell;
  readonly subjectNames: readonly string[];
}

/** `5 nodes, 64 in flight` */
export function cellName({ nodeCount, inFlight }: Cell): string {
  return `${nodeCount} node${nodeCount === 1 ? "" : "s"}, ${inFlight} in flight`;
}

const MAX_NODES = 15;
const MAX_IN_FLIGHT = 10_000;

/**
 * Reads `5/64`.
 *
 * @throws RangeError if it is not a cell.
 */
export function parseCell(text: string): Cell {
  const [, nodes, flight] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  const cell = { nodeCount: Number(nodes), inFlight: Number(flight) };
  const isIn = (value: number, max: number): boolean => value >= 1 && value <= max;
  if (isIn(cell.nodeCount, MAX_NODES) && isIn(cell.inFlight, MAX_IN_FLIGHT)) return cell;
  throw new RangeError(
    `--cell must be nodes/flight, up to ${MAX_NODES} nodes and ${MAX_IN_FLIGHT} in flight, such as 5/64; got "${text}"`,
  );
}

export const isSameCell = (one: Cell, other: Cell): boolean =>
  one.nodeCount === other.nodeCount && one.inFlight === other.inFlight;
