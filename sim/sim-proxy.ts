import type { CommandReply } from "./sim-server.js";

/**
 * What becomes of a reply:
 *
 * - `early`: replies to earlier requests come before it, so that all that follow are too late by as many
 * - `lost`: it does not come, so that those that follow are too early
 * - `swapped`: it comes after the next one
 * - `doubled`: it comes twice
 * - `another's`: the last reply to another client comes in its place
 */
export type MixupKind = "early" | "lost" | "swapped" | "doubled" | "another's";

/** How a proxy mixes up replies while this lasts. */
export interface Mixup {
  readonly how: MixupKind;
  /** Replies that this happens to. */
  readonly perMille: number;
  /** How many come early. */
  readonly count: number;
}

/** By link: the last reply of a node, which a proxy may send to others. */
export type LastReplies = Map<string, CommandReply>;

/** What stands between a client and a node on one connection, and may mix up the node's replies. */
export class SimProxy {
  readonly #link: string;
  readonly #last: LastReplies;
  #held: (() => void) | undefined;

  constructor(link: string, last: LastReplies) {
    this.#link = link;
    this.#last = last;
  }

  /** Passes on a reply. */
  pass(reply: CommandReply, mixup: Mixup | undefined, emit: (reply: CommandReply) => void): void {
    const before = this.#last.get(this.#link) ?? reply;
    // The last one of all is behind all others.
    this.#last.delete(this.#link);
    this.#last.set(this.#link, reply);
    const held = this.#held;
    this.#held = undefined;
    switch (mixup?.how) {
      case undefined:
        emit(reply);
        break;
      case "early":
        for (let n = 0; n < mixup.count; n++) emit(before);
        emit(reply);
        break;
      case "lost":
        break;
      case "swapped":
        if (held === undefined) this.#held = () => emit(reply);
        else emit(reply);
        break;
      case "doubled":
        emit(reply);
        emit(reply);
        break;
      case "another's": {
        const other = [...this.#last].findLast(([link]) => link !== this.#link);
        emit(other?.[1] ?? before);
        break;
      }
    }
    held?.();
  }
}
