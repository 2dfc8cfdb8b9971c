import { guardTimes, stageAt, untilNextStageMs, type Stage, type StopTimes } from "./stop-times.js";

/** Longest interval between two checks of the validity, ms: detects suspends and losses without a notification. */
const LOOK_MS = 100;

/** A smaller change of the end of the validity is ignored, ms: clock readings vary a little. */
const MOVED_MS = 5;

/** Callbacks for the stages. */
export interface FenceEvents {
  /** The validity was extended. */
  onRenewed(remainingMs: number): void;
  onLate(remainingMs: number): void;
  /** Called once. The grace period begins now; the command is stopped even if a later renewal succeeds. */
  onTerminate(remainingMs: number): void;
  /** Repeatedly, until {@link Fence.stop}. */
  onKill(remainingMs: number): void;
  /** For the guard, whenever the end of the validity has moved. */
  onMoved(times: ReturnType<typeof guardTimes>): void;
}

/**
 * Watches the validity of a lock while a command runs, and says when the command must be stopped. Reads the lock
 * itself, at most 100 ms apart: it relies on no message.
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

  /** Checks now and from now on. */
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
    // Once the validity has ended, its end would seem to move at every check.
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
