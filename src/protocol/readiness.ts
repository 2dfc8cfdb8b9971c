import { quorumSize } from "./quorum.js";

/**
 * A node, to somebody who waits for a quorum:
 *
 * - `votes`: it votes
 * - `settling`: it will vote without intervention, it is only a matter of time
 * - `away`: it does not answer, and may come back
 * - `misconfigured`: it answers, but must not vote until somebody changes something
 * - `listedTwice`: the same, and what has to be changed is the list: it is the same server as another node
 */
export type NodeReadiness = "votes" | "settling" | "away" | "misconfigured" | "listedTwice";

/** Votes that somebody waits for: a quorum, or with `all` those of every node. */
export function neededCount(nodeCount: number, all: boolean): number {
  return all ? nodeCount : quorumSize(nodeCount);
}

/**
 * Whether the nodes are ready, will not be, or have to be waited for:
 *
 * - `ready`: enough nodes vote
 * - `wait`: they do not yet
 * - `misconfigured`: so many nodes must not vote that the others are too few
 * - `listedTwice`: the list of nodes is wrong
 *
 * Their order does not matter, nor does who was seen first: a misconfigured minority is for a warning, as locks do
 * without it. A list with a server in it twice is an error even then. It tolerates fewer failures than it shows.
 */
export function readiness(
  nodes: readonly NodeReadiness[],
  all: boolean,
): "ready" | "wait" | "misconfigured" | "listedTwice" {
  const needed = neededCount(nodes.length, all);
  if (nodes.includes("listedTwice")) return "listedTwice";
  if (nodes.length - countOf(nodes, "misconfigured") < needed) return "misconfigured";
  return countOf(nodes, "votes") >= needed ? "ready" : "wait";
}

/** Whether enough nodes vote, or will do so without intervention. */
export function willBeReady(nodes: readonly NodeReadiness[], all: boolean): boolean {
  const count = countOf(nodes, "votes") + countOf(nodes, "settling");
  return count >= neededCount(nodes.length, all);
}

function countOf(nodes: readonly NodeReadiness[], which: NodeReadiness): number {
  return nodes.filter((node) => node === which).length;
}
