import type { ChannelState } from "../channel/channel-state.js";

/**
 * What is said of nodes that are misconfigured. A node that is asked every few seconds, and is down at times, stays one
 * fault: it is told again for another reason, or once the node was in use meanwhile.
 */
export class MisconfiguredWarnings {
  readonly #told = new Map<number, string>();

  /** What to warn of now that a node is in this state; undefined if there is nothing new. */
  onState(
    { index, name }: { readonly index: number; readonly name: string },
    state: ChannelState,
    detail: string,
  ): string | undefined {
    if (state === "ready" || state === "quarantined") this.#told.delete(index);
    if (state !== "misconfigured" || this.#told.get(index) === detail) return undefined;
    this.#told.set(index, detail);
    return `${name} does not vote: ${detail}`;
  }
}
