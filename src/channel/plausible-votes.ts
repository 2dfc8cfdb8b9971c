import type { Clock } from "../coordinator/ports.js";
import { implausibleText, judgeFence, tooFarAhead } from "../protocol/fencing.js";
import type { Vote } from "../protocol/operation.js";
import type { ClockOffsets } from "./clock-offsets.js";
import { answerUnknown, type Entry } from "./entry.js";

/**
 * Votes of the nodes on their way to those who asked; one that proves nothing becomes a fault of its node. So does one
 * with an implausible fence: as a token, it would be stored on the other nodes, and no fence above it might be left for
 * anybody.
 */
export class PlausibleVotes {
  readonly #nodeCount: number;
  readonly #clock: Clock;
  readonly #offsets: Pick<ClockOffsets, "timesMs">;
  readonly #warn: (index: number, message: string) => void;
  /** Votes with a fence that cannot be judged before more nodes have shown their clocks. */
  #held: (readonly [entry: Entry, vote: Vote])[] = [];
  readonly #told = new Set<number>();

  /** @param warn is called once for a node, until it has another record */
  constructor(
    nodeCount: number,
    clock: Clock,
    offsets: Pick<ClockOffsets, "timesMs">,
    warn: (index: number, message: string) => void,
  ) {
    this.#nodeCount = nodeCount;
    this.#clock = clock;
    this.#offsets = offsets;
    this.#warn = warn;
  }

  /** Passes on a node's vote, now or when it can be judged. */
  pass(entry: Entry, vote: Vote): void {
    // Who ends a lock by force raises all nodes above what it has seen.
    const fence = vote.kind === "granted" ? (vote.snapshot?.fence ?? vote.fence) : 0;
    if (fence !== 0) {
      const verdict = this.judge(fence);
      if (verdict === "unknown") return this.#hold(entry, vote);
      if (verdict === "implausible") {
        return answerUnknown(entry, "implausible", this.reject(entry.index, fence));
      }
    } else if (vote.kind === "fault" && vote.fault === "implausible") {
      this.#tell(entry.index, vote.message);
    } else if (vote.kind === "refused" && entry.wasSent) {
      // A missing key proves nothing where the first sending may have been executed.
      return answerUnknown(entry, "disconnected", "sent twice, the first time without an answer");
    }
    entry.receiver.onVote(entry.index, vote);
  }

  judge(fence: number): ReturnType<typeof judgeFence> {
    return judgeFence(fence, this.#clock.wallUs(), this.#offsets, this.#nodeCount);
  }

  /** Warns of a fence that does not count. @returns what is wrong with it, and the remedy */
  reject(index: number, fence: number): string {
    const message = implausibleText(tooFarAhead(fence));
    this.#tell(index, message);
    return message;
  }

  /** A node has shown its clock. */
  onNodeTime(): void {
    if (this.#held.length === 0) return;
    for (const [entry, vote] of this.#held.splice(0)) this.pass(entry, vote);
  }

  /** The node has another record, and so other fences. */
  onNewRecord(index: number): void {
    this.#told.delete(index);
  }

  /** Fewer nodes than a quorum have been reached, so no round is held up by it. */
  #hold(entry: Entry, vote: Vote): void {
    const nowMs = this.#clock.now();
    // Where the round is over, its silent nodes have been taken for nodes that may hold the key.
    this.#held = this.#held.filter(([{ operation }]) => operation.sendBeforeMs >= nowMs);
    this.#held.push([entry, vote]);
  }

  #tell(index: number, message: string): void {
    if (this.#told.has(index)) return;
    this.#told.add(index);
    this.#warn(index, message);
  }
}
