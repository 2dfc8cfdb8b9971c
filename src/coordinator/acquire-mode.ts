import type { Waiter } from "../protocol/waiter.js";
import type { HandOver } from "./hand-over.js";

/**
 * How an attempt stands to others who want the name.
 *
 * - `newcomer`: stands in no queue of the nodes
 * - `joiner`: gets in only where its owner is in already, and leaves alone what is free
 * - `waiter`: in the nodes' queues from here on, unless it is granted
 * - `handOver`: gets the lock that this process releases just now
 * - `takeOver`: gets the lock that its holder, elsewhere, has given up for it
 * - `preempt`: takes the name from whoever holds it
 */
export type AcquireMode =
  | { readonly as: "newcomer" | "joiner" | "preempt" }
  | { readonly as: "waiter"; readonly waiter: Waiter }
  | { readonly as: "handOver"; readonly waiter: Waiter; readonly from: HandOver }
  | { readonly as: "takeOver"; readonly waiter: Waiter; readonly previousId: string };

export const NEWCOMER: AcquireMode = { as: "newcomer" };
