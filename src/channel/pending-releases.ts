import type { Clock, Timer } from "../coordinator/ports.js";
import type { AnyOperation, Vote } from "../protocol/operation.js";
import { withoutPlace } from "./deferred-acquires.js";
import type { Entry } from "./entry.js";

/**
 * How many releases that failed are kept. A node that cannot write fails all of them, those of acquires that it refused
 * to execute, too: there can be thousands a second. The keys of the oldest expire first.
 */
const MAX_FAILED = 4_096;

/** How long until a release that failed on the node is sent there again, ms. */
const PAUSE_MS = 1_000;

/** Where they are sent again. */
export interface OwedNode {
  /** Otherwise they are sent when it is. */
  isReady(): boolean;
  /** @param wasHeldBack it has waited for the node */
  push(entry: Entry, wasHeldBack: boolean): void;
}

/**
 * Releases that a node has not confirmed, kept until it is back, or executes them again: one that cannot write (its
 * replicas or its disk are gone) answers with an error and keeps the keys. Then one of them is sent a second, and once
 * the node executes that, the others.
 *
 * Those of a connection that has closed: what the node had answered by the time it closed is gone one key
 * life later, and so need not be released any more. What it had not answered may be executed at any later time: a
 * stopped node does that when it continues, whether or not its client has closed the connection. Such a release is
 * kept for however long the node is away.
 */
export class PendingReleases {
  readonly #clock: Clock;
  readonly #node: OwedNode;
  #entries: Entry[] = [];
  /** Monotonic clock, ms. */
  #closedAtMs: number | undefined;
  /** The owners of what was unanswered when the connection closed, and those whose acquires were deferred with it. */
  #unanswered: ReadonlySet<string> = new Set();
  #timer: Timer | undefined;
  /** The one that was sent last to find out whether the node executes it now. */
  #probe: Entry | undefined;

  constructor(clock: Clock, node: OwedNode) {
    this.#clock = clock;
    this.#node = node;
  }

  get size(): number {
    return this.#entries.length;
  }

  /** The connection that may have carried the acquires has closed, with `unanswered` on its way. */
  onClosed(unanswered: readonly Entry[]): void {
    this.#closedAtMs = this.#clock.steady();
    this.#unanswered = new Set(
      unanswered.flatMap(({ operation }) => {
        const { ownerId, waiter }: AnyOperation = operation;
        return [ownerId, waiter?.deferred?.ownerId ?? ownerId];
      }),
    );
  }

  /** Keeps the entry, or reports that none of its keys can be on the node any more. */
  keep(entry: Entry): boolean {
    if (!this.#canMatter(entry, this.#clock.steady())) return false;
    // Who waits now may be gone when it is sent; who does not is back with the next refresh of its place.
    this.#entries.push({ ...entry, operation: withoutPlace(entry.operation) });
    return true;
  }

  /**
   * The node has answered it with an error, and its caller knows. It is kept until its keys have expired there.
   *
   * @param isSilent the node may execute at any later time what it was sent before: a key life begins again
   */
  onFailed(entry: Entry, isSilent: boolean): void {
    const { operation } = entry;
    if (operation.kind !== "release") return;
    const owed = (operation === this.#probe?.operation && this.#probe) || entry;
    const untilMs = this.#clock.steady() + operation.ttlMs;
    if (this.#entries.length >= MAX_FAILED) {
      const at = this.#entries.findIndex((each) => each.owedUntilMs !== undefined);
      if (at >= 0) this.#entries.splice(at, 1);
    }
    this.keep({ ...owed, owedUntilMs: (isSilent ? undefined : owed.owedUntilMs) ?? untilMs });
    this.#timer ??= this.#clock.setTimer(PAUSE_MS, () => {
      this.#timer = undefined;
      if (this.#node.isReady()) this.#tryOne();
    });
  }

  /** If the node executes the first, it gets the others. */
  #tryOne(): void {
    this.prune();
    const first = this.#entries.shift();
    if (first === undefined) return;
    this.#probe = first;
    const onVote = (index: number, vote: Vote): void => {
      if (vote.kind === "fault") return;
      first.receiver.onVote(index, vote);
      if (this.#node.isReady()) this.sendAll();
    };
    this.#node.push({ ...first, receiver: { onVote } }, false);
  }

  /** All that can still matter, in order: the node is back, or executes them again. */
  sendAll(): void {
    this.prune();
    for (const entry of this.#entries.splice(0)) this.#node.push(entry, true);
  }

  /** Nothing is sent any more. @returns those that are left */
  close(): readonly Entry[] {
    this.#timer?.cancel();
    return this.#entries.splice(0);
  }

  /** Drops what can no longer matter. */
  prune(): void {
    const nowMs = this.#clock.steady();
    this.#entries = this.#entries.filter((entry) => this.#canMatter(entry, nowMs));
  }

  #canMatter({ operation, owedUntilMs }: Entry, steadyMs: number): boolean {
    if (operation.kind !== "release") return false;
    if (owedUntilMs !== undefined) return steadyMs < owedUntilMs;
    if (this.#closedAtMs === undefined) return false;
    return this.#unanswered.has(operation.ownerId) || steadyMs < this.#closedAtMs + operation.ttlMs;
  }
}
