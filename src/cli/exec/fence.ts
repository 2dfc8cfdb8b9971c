import { guardTimes, stageAt, untilNextStageMs, type Stage, type StopTimes } from "./deadlines.js";

/** How long at most between two looks at what is left, ms: it sees suspends and losses that nobody tells of. */
const LOOK_MS = 100;

/** By so much the end of the validity must move to be another one, ms: readings of clocks differ a little. */
const MOVED_MS = 5;

/** What happens at the stages. */
export interface FenceEvents {
  /** The validity ends later than it did. */
  onRenewed(remainingMs: number): void;
  onLate(remainingMs: number): void;
  /** Once; the command has its grace from now on, and is stopped whatever renewals say. */
  onTerminate(remainingMs: number): void;
  /** Again and again, until {@link Fence.stop}. */
  onKill(remainingMs: number): void;
  /** For the guard, whenever the end of the validity has moved. */
  onMoved(times: ReturnType<typeof guardTimes>): void;
}

/**
 * Watches what is left of a lock while a command runs, and says when the command has to be stopped. Reads the lock
 * itself, at most 100 ms apart: no message has to arrive for it.
 */
export class Fence {
  readonly #remainingMs: () => number;
  readonly #times: StopTimes;
  readonly #events: FenceEvents;
  #untilMs = Number.NEGATIVE_INFINITY;
  #stage: Stage = "calm";
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(remainingMs: () => number, times: StopTimes, events: FenceEvents) {
    this.#remainingMs = remainingMs;
    this.#times = times;
    this.#events = events;
  }

  /** Whether the command was stopped because of the lock. */
  get hasFired(): boolean {
    return this.#stage === "terminate" || this.#stage === "kill";
  }

  /** Looks now and from now on. */
  look(): void {
    if (this.#isStopped) return;
    clearTimeout(this.#timer);
    const remainingMs = this.#remainingMs();
    this.#noteEnd(remainingMs);
    this.#advance(remainingMs);
    const nextMs = Math.max(1, Math.min(LOOK_MS, untilNextStageMs(remainingMs, this.#times)));
    this.#timer = setTimeout(() => this.look(), nextMs);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #noteEnd(remainingMs: number): void {
    // What is over does not end again with every look.
    if (remainingMs === 0 && this.#untilMs <= performance.now()) return;
    const untilMs = performance.now() + remainingMs;
    if (Math.abs(untilMs - this.#untilMs) <= MOVED_MS) return;
    const isLater = untilMs > this.#untilMs && this.#untilMs !== Number.NEGATIVE_INFINITY;
    this.#untilMs = untilMs;
    this.#events.onMoved(guardTimes(remainingMs, this.#times));
    if (isLater) this.#events.onRenewed(remainingMs);
  }

  #advance(remainingMs: number): void {
    const stage = stageAt(remainingMs, this.#times);
    if (this.hasFired && stage !== "kill") return;
    const isNew = stage !== this.#stage;
    this.#stage = stage;
    if (stage === "late" && isNew) this.#events.onLate(remainingMs);
    if (stage === "terminate") this.#events.onTerminate(remainingMs);
    if (stage === "kill") this.#events.onKill(remainingMs);
  }
}
