import type { Vote } from "../../src/protocol/operation.js";
import { held } from "./votes.js";

/** A node of a semaphore of that many permits refuses: these are taken there, and it lists all others. */
export function takenVote(permitCount: number, taken: Iterable<number>, freeInMs = 500): Vote {
  const all = new Set(taken);
  const freePermits = Array.from({ length: permitCount }, (_, permit) => permit).filter(
    (permit) => !all.has(permit),
  );
  return { ...held(freeInMs), takenPermits: all.size, freePermits };
}
