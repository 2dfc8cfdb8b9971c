/**
 * Fencing tokens over a quorum, one round trip when the nodes agree.
 *
 * Each node keeps a counter (the fence) per name. An acquire lifts it to at least one more than it
 * was and returns it. The token is the largest fence among the nodes that granted, fixed at the
 * verdict, and the grant exists only once a quorum of nodes *stores* that token (is "sealed").
 * Two grants share a sealed node; on it their ownership intervals are disjoint, so the later one
 * read a fence at least as large as the earlier one's token. No clock appears in the argument.
 *
 * A fence is a multiple of {@link FENCE_STEP}: the tokens up to the next one are for those to whom the lock is passed on
 * within its process, see pass-on-run.ts. They are above it, and below every fence that a later acquire reads.
 *
 * What a node does is in script/lib/draw_fence.lua and script/fast/acquire.lua. A node clamps a proposal to around its
 * own time of day: a client far ahead would use up the counter's range, and one far behind would, after the counter
 * was lost, start below tokens already issued.
 */

import { RECORD_KEY } from "./keys.js";
import type { Votes } from "./operation.js";
import { toleratedCount } from "./quorum.js";

/** Largest fence: beyond it a JSON number and a Lua double stop counting in ones. */
export const MAX_FENCE = Number.MAX_SAFE_INTEGER;

/**
 * Fences are this far apart. A divisor of a millisecond in microseconds, so that a round time is one; more than a lock
 * is passed on in a row, and little enough that a process that asks thousands of times a second stays near the clock.
 */
export const FENCE_STEP = 20;

/** The first fence above that one, or above a token that it stands for. */
export function fenceAfter(fence: number): number {
  return Math.floor(fence / FENCE_STEP) * FENCE_STEP + FENCE_STEP;
}

/**
 * How far a proposal may be from the node's clock, in microseconds. Twice the slack must stay below the quarantine of
 * a node that lost its counter; otherwise a client ahead before the loss and one behind after it could meet. A
 * quarter leaves the same again for differing node clocks.
 */
export function fenceSlackUs(maxTtlMs: number): number {
  return Math.floor((maxTtlMs * 1000) / 4);
}

/** How far a fence may be ahead of the clocks, in its unit, microseconds: ten years. */
export const FENCE_LEAD_US = 10 * 365.25 * 86_400 * 1_000_000;

/**
 * Whether a node may have come to a fence. It is implausible if it is further than {@link FENCE_LEAD_US} ahead of our
 * clock and of the node clock that, by size, comes after as many as may be wrong.
 *
 * Our clock alone would not do: if it were far behind, the fences of all nodes would look absurd. The largest node
 * clock would not do either: it may be that of the node that lies. A fence that is too far ahead is plausible some
 * time later, as clocks move on, so a token from one that was just accepted blocks nobody for long.
 *
 * @param nodeClocks what they show now, in any order, as far as they are known; read only if it matters
 * @returns `unknown`: too few clocks are known to tell
 */
export function judgeFence(
  fence: number,
  wallUs: number,
  nodeClocks: { readonly timesMs: readonly number[] },
  nodeCount: number,
): "plausible" | "implausible" | "unknown" {
  if (!Number.isSafeInteger(fence) || fence < 0) return "implausible";
  const beyondUs = fence - FENCE_LEAD_US;
  if (beyondUs <= wallUs) return "plausible";
  const ordered = nodeClocks.timesMs.toSorted((a, b) => b - a);
  const timeMs = ordered[toleratedCount(nodeCount)];
  if (timeMs === undefined) return "unknown";
  return beyondUs <= timeMs * 1_000 ? "plausible" : "implausible";
}

/** What becomes of a node whose record is deleted. */
export const AFTER_DELETION =
  "The node votes again after the longest ttl, above the fences of the other nodes";

/** What is wrong with a node's fence, and what to do. */
export function implausibleText(what: string): string {
  return `${what}: delete the key ${RECORD_KEY} there. ${AFTER_DELETION}`;
}

/** What is wrong with a fence that is `implausible`. */
export function tooFarAhead(fence: number): string {
  return `its fence ${fence} is more than ten years ahead of all clocks`;
}

/**
 * The token that an acquire round has drawn.
 *
 * @param votes of a round that is won, at its verdict
 * @returns `sealed` is a bit mask of the nodes that store it already. In steady state those are all, and no second message
 *   is needed
 */
export function drawnToken(votes: Votes): { readonly token: number; readonly sealed: number } {
  let token = 0;
  let sealed = 0;
  for (let index = 0; index < votes.length; index++) {
    const vote = votes[index];
    if (vote?.kind !== "granted" || vote.fence < token) continue;
    sealed = vote.fence === token ? sealed | (1 << index) : 1 << index;
    token = vote.fence;
  }
  return { token, sealed };
}

/**
 * How one node's fence compares to the token T that was fixed at the verdict. `ahead` is a grant after the verdict: it
 * cannot be used, as T does not move.
 */
export function sealState(fence: number, token: number): "sealed" | "behind" | "ahead" {
  if (fence === token) return "sealed";
  return fence < token ? "behind" : "ahead";
}
