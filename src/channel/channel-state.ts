import type { NodeReadiness } from "../protocol/quorum.js";

/**
 * - `connecting`: no handshake yet; operations wait for it within their deadline
 * - `ready`: operations are sent
 * - `suspected`: connected, but earlier operations are unanswered
 * - `quarantined`: ready, but acquire votes do not count yet
 * - `down`: the last attempt to connect failed
 * - `misconfigured`: the node answers, but must not vote
 */
export type ChannelState =
  | "connecting"
  | "ready"
  | "suspected"
  | "quarantined"
  | "down"
  | "misconfigured"
  | "closed";

/**
 * A node in this state, to somebody who waits for a quorum.
 *
 * @param isHandshakeDone on the current connection: it only waits to be admitted, whatever ended the previous one
 * @param isListedTwice if it is misconfigured: because it is the same server as another node
 */
export function readinessOf(
  state: ChannelState,
  isHandshakeDone: boolean,
  isListedTwice: boolean,
): NodeReadiness {
  if (state === "ready") return "votes";
  if (state === "quarantined") return "settling";
  if (state === "suspected") return "away";
  if (isHandshakeDone) return "settling";
  if (state === "misconfigured") return isListedTwice ? "listedTwice" : "misconfigured";
  return "away";
}
