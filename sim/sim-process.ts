import type { Clock, Entropy, Timer } from "../src/coordinator/ports.js";
import {
  armedMs,
  CLOCK_BAND_MS,
  readLeaseClock,
  startLeaseClock,
  type LeaseClockState,
} from "../src/protocol/lease-times.js";
import type { Choices } from "./choices.js";
import { hashText } from "./random.js";
import { SimClock, STOPPED_PPM } from "./sim-clock.js";
import type { SimEvent } from "./event-queue.js";
import type { World } from "./world.js";

/** The wall clock is read in whole ms; at its slowest rate a tick takes this long, µs. */
const WALL_TICK_US = 1_500;

/** How long to wait before checking again a lease clock that does not show what it should, µs. */
const ASK_AGAIN_US = 1_000;

export interface ProcessSettings {
  readonly name: string;
  /** Reading of the wall clock at true time 0, µs. */
  readonly wallStartUs: number;
  readonly steadyPpm: number;
  readonly wallPpm: number;
  /** How late a timer may fire on an idle process, µs. */
  readonly timerSlopUs: number;
}

interface SimTimer extends Timer {
  readonly dueUs: number;
  readonly callback: () => void;
  readonly isService: boolean;
  event: SimEvent | undefined;
}

/**
 * One client process: its clocks, its timers, and whether it is running at all.
 *
 * Client code is only entered through {@link enter} and timers. A stopped process therefore finds everything that
 * arrived meanwhile when it continues.
 */
export class SimProcess {
  readonly name: string;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Called after every event that makes a lease clock differ from what was predicted. */
  onDisturbed: (() => void) | undefined;

  readonly #world: World;
  readonly #choices: Choices;
  readonly #steady: SimClock;
  readonly #wall: SimClock;
  readonly #timerSlopUs: number;
  readonly #timers = new Set<SimTimer>();
  #lease: LeaseClockState;
  #stopCount = 0;
  #suspendCount = 0;
  /** Rate to return to after a suspend. */
  #resumePpm = 0;
  #isDead = false;
  #inputs: (() => void)[] = [];
  #dueTimers: SimTimer[] = [];
  #serial = 0;

  constructor(world: World, choices: Choices, settings: ProcessSettings) {
    const { name, steadyPpm, wallPpm, wallStartUs } = settings;
    this.name = name;
    this.#world = world;
    this.#choices = choices;
    this.#timerSlopUs = settings.timerSlopUs;
    this.#steady = new SimClock(0, steadyPpm);
    this.#wall = new SimClock(wallStartUs, wallPpm);
    this.#lease = startLeaseClock(this.#steadyMs(world.nowUs), this.#wallMs(world.nowUs));
    this.clock = {
      now: () => this.#readLease(),
      steady: () => this.#steadyMs(world.nowUs),
      wallUs: () => this.#wallMs(world.nowUs) * 1_000,
      setTimer: (delayMs, callback) => this.#setTimer(delayMs, callback),
      defer: (callback) => world.afterThis(() => this.#isDead || callback()),
      detached: (run) => run(),
    };
    this.entropy = {
      unit: () => choices.pick(2 ** 20, `${name} unit ${this.#serial++}`) / 2 ** 20,
      // Looks like 128 bits in base64url: no plus, unlike the names of restarted processes, and a valid last letter. The
      // beginning, by which others know an owner, tells nothing and is of each a different one.
      id: () => {
        const told = `${name.replace("+", "_")}-${this.#serial++}-`;
        const hash = hashText(0, told).toString(36).padStart(7, "0").slice(-6);
        return `${`${hash}-${told}`.padEnd(21, "_")}A`;
      },
    };
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** Timers of the code under test; those of the service that uses it do not count. */
  get timerCount(): number {
    return [...this.#timers].filter(({ isService }) => !isService).length;
  }

  /** Runs client code: now if the process is running, otherwise when it continues. */
  enter(run: () => void): void {
    this.#world.atClient(this.#world.nowUs, () => {
      if (this.#isDead) return;
      if (this.#stopCount > 0) this.#inputs.push(run);
      else run();
    });
  }

  /** Resolves after that much monotonic time. */
  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.#setTimer(delayMs, resolve, true);
    });
  }

  /** Stops the process (garbage collection, SIGSTOP); its clocks keep running. */
  pause(): void {
    this.#stopCount++;
  }

  /** Suspends the machine: the monotonic clock stops, the wall clock keeps running. */
  suspend(): void {
    this.#stopCount++;
    if (this.#suspendCount++ > 0) return;
    const { ratePpm } = this.#steady;
    this.#resumePpm = ratePpm;
    this.#steady.setRate(this.#world.nowUs, STOPPED_PPM);
    this.onDisturbed?.();
  }

  wake(): void {
    if (this.#suspendCount === 0) return;
    if (--this.#suspendCount === 0) {
      this.#steady.setRate(this.#world.nowUs, this.#resumePpm);
      this.onDisturbed?.();
    }
    this.resume();
  }

  /** Continues. Due timers and queued replies run in either order. */
  resume(): void {
    if (this.#stopCount === 0 || --this.#stopCount > 0) return;
    const inputs = this.#inputs.splice(0);
    const runInputs = (): void => {
      for (const run of inputs) this.enter(run);
    };
    const runTimers = (): void => {
      for (const timer of this.#dueTimers.splice(0))
        this.#world.atClient(0, () => this.#fire(timer));
    };
    const areTimersFirst = this.#choices.pick(2, `${this.name} resume ${this.#serial++}`) === 0;
    if (areTimersFirst) {
      runTimers();
      runInputs();
    } else {
      runInputs();
      this.#world.at(0, runTimers);
    }
  }

  get isSuspended(): boolean {
    return this.#suspendCount > 0;
  }

  get isStopped(): boolean {
    return this.#stopCount > 0;
  }

  /** Ends all pauses and suspends. */
  goOn(): void {
    while (this.#suspendCount > 0) this.wake();
    while (this.#stopCount > 0) this.resume();
  }

  /** Sets the wall clock. */
  jumpWall(byMs: number): void {
    this.#wall.jump(this.#world.nowUs, byMs * 1_000);
    this.onDisturbed?.();
  }

  crash(): void {
    this.#isDead = true;
    for (const timer of this.#timers) if (timer.event) timer.event.run = undefined;
    this.#timers.clear();
    this.#inputs = [];
    this.#dueTimers = [];
  }

  /**
   * A lower bound of the lease clock, without reading it: a reading changes its state. The wall clock ticks in
   * whole ms, so a jump that one reading would detect may be missed by another a moment later.
   */
  peekLeaseMs(trueUs = this.#world.nowUs): number {
    const steadyMs = this.#steadyMs(trueUs);
    return steadyMs + readLeaseClock(this.#lease, steadyMs, this.#wallMs(trueUs) - 1).addedMs;
  }

  /**
   * The first true instant at which the lease clock would show that much, if nothing disturbs it; Infinity if only
   * a disturbance gets it there. A clock that does not behave like a lease clock (a planted one) may show less at the
   * returned instant: then ask again at that instant.
   */
  trueUsAtLease(leaseMs: number): number {
    const { gapMs, addedMs } = this.#lease;
    const bySteady = this.#steady.trueAt((leaseMs - addedMs) * 1_000);
    const byWall = this.#wall.trueAt((leaseMs + gapMs - addedMs + 1) * 1_000);
    const { nowUs } = this.#world;
    let trueUs = Math.max(nowUs, Math.ceil(Math.min(bySteady, byWall)));
    // While the growth of the wall clock is within the band, only the monotonic clock counts; and the
    // wall clock is read in whole ms.
    const suspendUs = Math.max(nowUs, byWall, this.#suspendSeenUs()) + WALL_TICK_US;
    const lastUs = Math.min(bySteady, suspendUs);
    while (trueUs < lastUs && this.peekLeaseMs(trueUs) < leaseMs) trueUs += 500;
    trueUs = Math.min(trueUs, Math.max(nowUs, bySteady));
    // Fractions of a microsecond.
    for (let step = 0; step < 3 && this.peekLeaseMs(trueUs) < leaseMs; step++) trueUs++;
    if (this.peekLeaseMs(trueUs) >= leaseMs) return trueUs;
    return bySteady === Number.POSITIVE_INFINITY ? bySteady : trueUs + ASK_AGAIN_US;
  }

  /** The first true instant at which the wall clock shows that much, if it is not set. */
  trueUsAtWall(wallMs: number): number {
    return this.#wall.trueAt(wallMs * 1_000);
  }

  /** When the wall clock has certainly grown beyond the band, if the monotonic clock stands still. */
  #suspendSeenUs(): number {
    if (this.#suspendCount === 0) return Number.POSITIVE_INFINITY;
    const steadyMs = this.#steadyMs(this.#world.nowUs);
    // A reading counts for a millisecond less than it shows.
    const wallMs = steadyMs + this.#lease.gapMs + CLOCK_BAND_MS + 2;
    return this.#wall.trueAt(wallMs * 1_000);
  }

  #readLease(): number {
    const steadyMs = this.#steadyMs(this.#world.nowUs);
    this.#lease = readLeaseClock(this.#lease, steadyMs, this.#wallMs(this.#world.nowUs));
    return steadyMs + this.#lease.addedMs;
  }

  #steadyMs(trueUs: number): number {
    return this.#steady.at(trueUs) / 1_000;
  }

  #wallMs(trueUs: number): number {
    return Math.floor(this.#wall.at(trueUs) / 1_000);
  }

  #setTimer(delayMs: number, callback: () => void, isService = false): Timer {
    const delayUs = armedMs(Math.max(0, delayMs)) * 1_000;
    const dueUs = this.#steady.at(this.#world.nowUs) + delayUs;
    const timer: SimTimer = {
      dueUs,
      callback,
      isService,
      event: undefined,
      cancel: () => {
        this.#timers.delete(timer);
        if (timer.event) timer.event.run = undefined;
      },
    };
    this.#timers.add(timer);
    this.#arm(timer);
    return timer;
  }

  #arm(timer: SimTimer): void {
    const lateUs = this.#choices.pick(this.#timerSlopUs, `${this.name} timer ${this.#serial++}`);
    const trueUs = this.#steady.trueAt(timer.dueUs) + lateUs;
    timer.event = this.#world.atClient(trueUs, () => this.#fire(timer));
  }

  #fire(timer: SimTimer): void {
    if (this.#isDead || !this.#timers.has(timer)) return;
    if (this.#stopCount > 0) {
      this.#dueTimers.push(timer);
    } else if (this.#steady.at(this.#world.nowUs) < timer.dueUs) {
      // The clock stood still in the meantime.
      this.#arm(timer);
    } else {
      this.#timers.delete(timer);
      timer.callback();
    }
  }
}
