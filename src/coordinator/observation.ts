import type { LockKind } from "../protocol/lock-kind.js";
import { newOperation, type Vote } from "../protocol/operation.js";
import {
  agreedOn,
  isLater,
  isNews,
  isOver,
  isUnsealed,
  reachedBy,
  standingIn,
  withLatest,
  WATCH_POLL_MS,
  type Holding,
  type NodeStanding,
} from "../protocol/watching.js";
import type { Context } from "./context.js";
import { poll } from "./poll.js";
import type { Listening } from "./ports.js";
import type { Sleeper } from "./schedule.js";

/**
 * Who holds a name, for all who observe it in this process: told by messages, and asked every {@link WATCH_POLL_MS}. A
 * message is what its node would answer; shown is only what a quorum of nodes says.
 */
export class Observation implements Sleeper {
  wakeAtMs = 0;
  heapIndex = -1;
  /** Undefined until a quorum has said the same. */
  shown: Holding | null | undefined;
  /** A quorum of nodes has said so when they were asked last, or since. */
  isCurrent = false;
  readonly #context: Context;
  readonly #keys: LockKind;
  readonly #nodeTimeoutMs: number;
  readonly #onShown: () => void;
  /** What each node says, and when that was so at the earliest, lease clock, ms. */
  readonly #said: ({ readonly standing: NodeStanding; readonly sinceMs: number } | undefined)[];
  /** The holder that was shown last. */
  #last: Holding | undefined;
  /** The fence that a quorum had reached when it was current last. */
  #reached = 0;
  /** A holder that an answer has named whose token was not above that. */
  #doubted: string | undefined;
  #listening: Listening | undefined;
  #isOver = false;

  /** @param onShown called when it shows something else, or is current again */
  constructor(context: Context, keys: LockKind, nodeTimeoutMs: number, onShown: () => void) {
    this.#context = context;
    this.#keys = keys;
    this.#nodeTimeoutMs = nodeTimeoutMs;
    this.#onShown = onShown;
    this.#said = context.nodes.map(() => undefined);
  }

  begin(): void {
    this.#listening = this.#context.listen?.(this.#keys.lockKey, (index, standing) =>
      this.#onMessage(index, standing),
    );
    void this.#ask();
  }

  end(): void {
    this.#isOver = true;
    this.#listening?.close();
    this.#context.schedule.remove(this);
  }

  /** Called by the schedule. */
  wake(): void {
    void this.#ask();
  }

  async #ask(): Promise<void> {
    const { clock, entropy, schedule } = this.#context;
    const sentMs = clock.now();
    const sendBeforeMs = sentMs + this.#nodeTimeoutMs;
    const keys = this.#keys;
    // On a Cluster there are no messages.
    const operation =
      this.#listening === undefined
        ? newOperation("inspect", { keys, ownerId: "", sendBeforeMs })
        : newOperation("watch", { keys, ownerId: entropy.id(), sendBeforeMs });
    const votes = await poll(this.#context, operation, 0, this.#nodeTimeoutMs);
    if (this.#isOver) return;
    votes.forEach((vote, index) => this.#onAnswer(index, vote, sentMs));
    this.#show(true);
    schedule.set(this, Math.max(clock.now(), sentMs + WATCH_POLL_MS));
  }

  #onAnswer(index: number, vote: Vote, sentMs: number): void {
    const snapshot = vote.kind === "granted" ? vote.snapshot : undefined;
    if (snapshot === undefined) {
      this.#said[index] = undefined;
      return;
    }
    this.#listening?.trust(index, snapshot.secret ?? "");
    const standing = standingIn(snapshot);
    const before = this.#said[index];
    // A message that came meanwhile may be about what happened after it.
    const isOutdated =
      before !== undefined && before.sinceMs > sentMs && isLater(before.standing, standing);
    if (!isOutdated) this.#said[index] = { standing, sinceMs: sentMs };
  }

  #onMessage(index: number, standing: NodeStanding): void {
    if (this.#isOver) return;
    const before = this.#said[index];
    if (before !== undefined && !isLater(standing, before.standing)) return;
    this.#said[index] = { standing, sinceMs: this.#context.clock.now() };
    this.#show();
  }

  #show(isAnswer = false): void {
    const standings = this.#said.map((said) => said?.standing);
    const found = agreedOn(standings);
    const agreed = found && withLatest(found, this.#last);
    const { shown, isCurrent } = this;
    if (agreed !== undefined && !isAnswer && isOver(agreed, shown, this.#last)) return;
    const isLow =
      agreed && agreed.who !== shown?.who && isUnsealed(agreed, this.#last?.who, this.#reached);
    const isDoubted = isLow && !(isAnswer && this.#doubted === agreed.who);
    // Its token is not stored on a quorum yet; if it is still low when they are asked again, they have lost theirs.
    if (isAnswer) this.#doubted = isDoubted ? agreed.who : undefined;
    this.isCurrent = agreed !== undefined && isDoubted !== true;
    if (agreed === undefined || isDoubted === true) return;
    const reached = reachedBy(standings, agreed?.who);
    this.#reached = isLow === true ? reached : Math.max(this.#reached, reached);
    const isOther = isNews(shown, agreed);
    if (isOther) this.shown = agreed;
    this.#last = agreed ?? this.#last;
    if (isOther || !isCurrent) this.#onShown();
  }
}
