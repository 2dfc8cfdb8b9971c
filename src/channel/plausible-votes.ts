import type { Clock } from "../coordinator/ports.js";
import { implausibleText, judgeFence, tooFarAhead } from "../protocol/fencing.js";
import type { Vote } from "../protocol/operation.js";
import { semaphoreIn } from "../protocol/semaphore-size.js";
import type { ClockOffsets } from "./clock-offsets.js";
import { answerUnknown, type Entry } from "./entry.js";

/** Of a semaphore whose size has an implausible version. */
const ABSURD_SIZE =
  "its size of the semaphore is from more than ten years ahead of all clocks: delete its key there, `quorate:size` with the name";

/**
 * Votes of the nodes on their way to those who asked; one that proves nothing becomes a fault of its node. So does one
 * with an implausible fence, or size of a semaphore: either would be stored on the other nodes, and nothing above it might
 * be left for anybody.
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
    const { receiver, index, operation } = entry;
    if (vote.kind === "fault") {
      if (vote.fault === "implausible") this.#tell(index, vote.message);
      return receiver.onVote(index, vote);
    }
    // Who ends a lock by force raises all nodes above what it has seen, and brings them the size of the semaphore.
    const snapshot = vote.kind === "granted" ? vote.snapshot : undefined;
    const fence = vote.kind === "granted" ? (snapshot?.fence ?? vote.fence) : 0;
    const size = snapshot?.holder ? semaphoreIn(snapshot.holder) : vote.size;
    // The version of a size is a time as well, in ms.
    const sizeUs = size === undefined ? 0 : size.version * 1_000;
    if (fence !== 0 || sizeUs !== 0) {
      const verdict = this.judge(Math.max(fence, sizeUs));
      if (verdict === "unknown") return this.#hold(entry, vote);
      if (verdict === "implausible") {
        return sizeUs > fence
          ? answerUnknown(entry, "server", ABSURD_SIZE)
          : answerUnknown(entry, "implausible", this.reject(index, fence));
      }
    }
    // It counts from now on, whatever becomes of the operation, and is brought to the other nodes.
    if (size !== undefined) operation.keys.permits?.size.learn(size);
    // A missing key proves nothing where the first sending may have been executed.
    if (vote.kind === "refused" && entry.wasSent)
      return answerUnknown(entry, "disconnected", "sent twice, the first time without an answer");
    receiver.onVote(index, vote);
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
