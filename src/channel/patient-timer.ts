import type { Clock, Timer } from "../coordinator/ports.js";
import { STALL_MS } from "../protocol/deadlines.js";

/** Number of parts into which a deadline is divided. */
const PARTS = 4;

/** Number of parts that are forgiven, so that even a process that keeps stalling detects a silent node in the end. */
const MAX_FORGIVEN = 12;

/**
 * A deadline for a node's answer. Time in which the event loop was blocked is this process's fault, not the node's:
 * parts of the deadline in which it was blocked do not count.
 */
export function setPatientTimer(clock: Clock, delayMs: number, callback: () => void): Timer {
  let left = PARTS;
  let forgiven = 0;
  let timer: Timer;
  const arm = (): void => {
    const dueMs = clock.steady() + delayMs / PARTS;
    timer = clock.setTimer(delayMs / PARTS, () => {
      const isStall = clock.steady() - dueMs > STALL_MS && forgiven < MAX_FORGIVEN;
      if (isStall) forgiven++;
      else left--;
      if (left === 0) callback();
      else arm();
    });
  };
  arm();
  return { cancel: () => timer.cancel() };
}
