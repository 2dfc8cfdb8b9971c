import type { Context } from "./context.js";
import type { QueuedPlace } from "./places.js";
import type { Sleeper } from "./schedule.js";

/** Wakes an acquire when it asks next; at its deadline at the latest. */
export class AcquireTimer implements Sleeper {
  wakeAtMs = 0;
  heapIndex = -1;
  /** When to ask next, lease clock, ms. It may be woken earlier. */
  askAtMs = 0;

  readonly #context: Context;
  readonly #onDue: (nowMs: number) => void;
  readonly #deadlineMs: number;
  /** Its place in the nodes' queues, while that is refreshed. */
  #place: QueuedPlace | undefined;

  /**
   * @param onDue it is time to ask, or the deadline has passed
   * @param deadlineMs lease clock: the deadline of the acquire
   */
  constructor(context: Context, onDue: (nowMs: number) => void, deadlineMs: number) {
    this.#context = context;
    this.#onDue = onDue;
    this.#deadlineMs = deadlineMs;
  }

  /** Its place is refreshed, and the refreshes say when to ask. */
  get isInPlace(): boolean {
    return this.#place !== undefined;
  }

  sleepUntil(untilMs: number): void {
    this.askAtMs = untilMs;
    this.#context.schedule.set(this, Math.min(untilMs, this.#deadlineMs));
  }

  /** Even slightly after the deadline. */
  hurryAt(atMs: number): void {
    this.#context.schedule.set(this, atMs);
  }

  /** Sleeps while its place is refreshed. @param place undefined if it has none */
  sleepInPlace(untilMs: number, place: QueuedPlace | undefined): void {
    this.sleepUntil(untilMs);
    if (place === undefined) return;
    this.#place = place;
    this.#context.waitQueues.places?.add(place);
  }

  /** A refresh says so. Where it asks later than it is woken, it finds that out then. */
  putOff(untilMs: number): void {
    this.askAtMs = untilMs;
    if (untilMs < this.wakeAtMs) this.#context.schedule.set(this, untilMs);
  }

  /** Earlier answers to refreshes are outdated. */
  leavePlace(): void {
    if (this.#place !== undefined) this.#context.waitQueues.places?.delete(this.#place);
    this.#place = undefined;
  }

  /** It asks now or never again. Its attempts keep its place. */
  stop(): void {
    this.#context.schedule.remove(this);
    this.leavePlace();
  }

  /** Called by the schedule. */
  wake(nowMs: number): void {
    this.#onDue(nowMs);
  }
}
