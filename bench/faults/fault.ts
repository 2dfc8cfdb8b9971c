import type { FleetNode, TcpLink } from "../../src/testing/index.js";

/** A node, and the link through which the measured client reaches it. */
export interface StruckNode {
  readonly node: FleetNode;
  readonly link: TcpLink;
}

/** A fault of a node, and its end. */
export interface Fault {
  readonly how: string;
  /** Whether the bench itself can reach the node during the fault. */
  readonly isReachable: boolean;
  strike(struck: StruckNode): Promise<void>;
  recover(struck: StruckNode): Promise<void>;
}

export const FAULTS = {
  frozen: {
    how: "SIGSTOP: connections stay open, nothing is answered",
    isReachable: false,
    strike: ({ node }) => node.pause(),
    recover: ({ node }) => node.resume(),
  },
  blackholed: {
    how: "no bytes pass in either direction; connections stay open",
    isReachable: true,
    strike: async ({ link }) => link.blackhole(),
    recover: ({ link }) => link.heal(),
  },
  dead: {
    how: "killed, then restarted empty and quarantined",
    isReachable: false,
    strike: ({ node }) => node.kill(),
    recover: ({ node }) => node.restart(),
  },
} as const satisfies Readonly<Record<string, Fault>>;

export type FaultName = keyof typeof FAULTS;

/** A fault of one or two of five nodes. */
export interface FaultCase {
  readonly fault: FaultName;
  readonly struckCount: number;
}

/** `2 frozen` */
export const faultCaseName = ({ fault, struckCount }: FaultCase): string =>
  `${struckCount} ${fault}`;
