import type { Cell } from "../uncontended/cell.js";
import {
  BEST_PEERS,
  FIVE_1,
  FIVE_64,
  SINGLE_1,
  SINGLE_64,
  SINGLE_8,
} from "../uncontended/targets.js";

export interface ServersPlan {
  /** Paths of the server programs; not included in results. */
  readonly binaries: readonly string[];
  readonly nodeCount: number;
  readonly cells: readonly Cell[];
  readonly subjectNames: readonly string[];
  readonly rounds: number;
  readonly warmUpCycles: number;
  readonly measureMs: number;
}

export const FULL_SERVERS: ServersPlan = {
  binaries: [],
  nodeCount: 5,
  cells: [SINGLE_1, SINGLE_8, SINGLE_64, FIVE_1, FIVE_64],
  subjectNames: ["quorate", ...BEST_PEERS],
  rounds: 3,
  warmUpCycles: 5_000,
  measureMs: 700,
};

export const QUICK_SERVERS: ServersPlan = {
  ...FULL_SERVERS,
  rounds: 1,
  warmUpCycles: 1_000,
  measureMs: 250,
};
