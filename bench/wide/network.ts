import { quantileOf } from "../numbers/quantile.js";

/** The connection to one node. */
export interface Line {
  readonly roundTripMs: number;
  /** A round trip takes up to this much longer, ms; half of it in each direction. */
  readonly jitterMs?: number;
  /** Share of packets that are lost in each direction, and retransmitted. */
  readonly lossShare?: number;
}

/** How far the nodes are from the clients. */
export interface Network {
  readonly name: string;
  /** One per node; undefined: without links, on this machine. */
  readonly lines: readonly Line[] | undefined;
}

export const LOCAL: Network = { name: "this machine", lines: undefined };

/** Nodes that are all at the same distance. */
export const even = (nodeCount: number, roundTripMs: number): Network => ({
  name: `${roundTripMs} ms`,
  lines: Array.from({ length: nodeCount }, () => ({ roundTripMs })),
});

/** The round trip to the node that completes a quorum: no acquire on these nodes is faster. */
export function boundOf(roundTripsMs: readonly number[]): number {
  const quorum = Math.floor(roundTripsMs.length / 2) + 1;
  const sorted = roundTripsMs.toSorted((a, b) => a - b);
  return sorted[quorum - 1] ?? Number.NaN;
}

/** As configured, ms: 0 without links. */
export const nominalBound = ({ lines }: Network): number =>
  lines === undefined ? 0 : boundOf(lines.map(({ roundTripMs }) => roundTripMs));

export const isJittery = ({ lines }: Network): boolean =>
  lines?.some(({ jitterMs = 0 }) => jitterMs > 0) ?? false;

export const medianOf = (values: readonly number[]): number =>
  quantileOf(
    values.toSorted((a, b) => a - b),
    0.5,
  );
