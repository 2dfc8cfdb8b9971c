import type { Clock } from "../coordinator/ports.js";
import {
  AGREED_MS,
  agreedOffsetMs,
  clockOffset,
  consensusOf,
  offsetLimitMs,
  strayMs,
  type ClockOffset,
} from "../protocol/clock-offset.js";

/** Maximum age of readings that are compared, ms, so that clock rates do not matter. */
const COMPARED_FOR_MS = 60_000;

/** Maximum amount by which our own clock was set between two compared readings, ms. */
const OWN_STEP_MS = 100;

interface Reading extends ClockOffset {
  readonly index: number;
  readonly atSteadyMs: number;
  /** Our wall clock minus the monotonic one, ms. */
  readonly ownMs: number;
}

/** How far the nodes' clocks are from ours, from answers that carry the node's time anyway. */
export class ClockOffsets {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #warn: (index: number, message: string) => void;
  readonly #readings: (Reading | undefined)[];
  /** Nodes that were reported and are not correct again yet. */
  readonly #told = new Set<number>();
  /** Called when the time by which waiters are in order moves by so much, µs. */
  readonly #onCorrection: (byUs: number) => void;
  /** The time by which waiters are in order minus the monotonic one, ms; undefined: it is that of our wall clock. */
  #orderMs: number | undefined;

  constructor(
    nodeCount: number,
    clockStepMs: number,
    clock: Clock,
    warn: (index: number, message: string) => void,
    onCorrection: (byUs: number) => void,
  ) {
    this.#onCorrection = onCorrection;
    this.#clock = clock;
    this.#limitMs = offsetLimitMs(clockStepMs);
    this.#warn = warn;
    this.#readings = Array.from({ length: nodeCount }, () => undefined);
  }

  /** In ms, above 0 if the node's clock is ahead of ours; undefined if the node's time is unknown. */
  of(index: number): number | undefined {
    const reading = this.#readings[index];
    return reading === undefined ? undefined : Math.round(reading.offsetMs);
  }

  /** What the clocks of the nodes show now, ms, as far as they are known; whatever was done to ours meanwhile. */
  get timesMs(): readonly number[] {
    const steadyMs = this.#clock.steady();
    return this.#readings.flatMap((reading) =>
      reading === undefined ? [] : steadyMs + reading.ownMs + reading.offsetMs,
    );
  }

  /** The time of day by which waiters of all processes are in order, µs. */
  orderUs(): number {
    if (this.#orderMs === undefined) return this.#clock.wallUs();
    // Whatever was done to our wall clock since then: until nodes say so, nobody knows that it is right now.
    return toUs(this.#clock.steady() + this.#orderMs);
  }

  /** An answer carried the node's time. */
  read(index: number, nodeMs: number, roundTripMs: number): void {
    if (!(nodeMs > 0)) return;
    const [wallMs, atSteadyMs] = [this.#clock.wallUs() / 1_000, this.#clock.steady()];
    const ownMs = wallMs - atSteadyMs;
    const { offsetMs, errorMs } = clockOffset(nodeMs, wallMs, roundTripMs);
    this.#readings[index] = { index, offsetMs, errorMs, atSteadyMs, ownMs };
    const comparable = this.#readings.filter(
      (reading): reading is Reading =>
        reading !== undefined &&
        atSteadyMs - reading.atSteadyMs <= COMPARED_FOR_MS &&
        Math.abs(ownMs - reading.ownMs) <= OWN_STEP_MS,
    );
    // With only two clocks, it is unknown which one is right.
    if (comparable.length === 1 && this.#readings.length > 1) return;
    this.#correct(agreedOffsetMs(comparable, this.#readings.length), ownMs);
    const consensus = consensusOf(comparable);
    for (const each of comparable) {
      const isRight = strayMs(each, consensus) <= this.#limitMs;
      if (isRight) this.#told.delete(each.index);
      else if (!this.#told.has(each.index)) {
        this.#told.add(each.index);
        this.#warn(each.index, textOf(each, this.#limitMs));
      }
    }
  }

  /** Only by what a quorum says, and only as precise as the order has to be: it does not move back and forth. */
  #correct(offsetMs: number | undefined, ownMs: number): void {
    if (offsetMs === undefined) return;
    const byMs = ownMs + offsetMs - (this.#orderMs ?? ownMs);
    if (Math.abs(byMs) <= AGREED_MS) return;
    this.#orderMs = Math.abs(offsetMs) <= AGREED_MS ? undefined : ownMs + offsetMs;
    this.#onCorrection(toUs(byMs));
  }
}

const toUs = (ms: number): number => Math.round(ms * 1_000);

function textOf({ offsetMs, errorMs }: ClockOffset, limitMs: number): string {
  const [offset, error] = [Math.round(Math.abs(offsetMs)), Math.ceil(errorMs)];
  const side = offsetMs > 0 ? "ahead of" : "behind";
  return (
    `its clock is ${offset} ms (to within ${error} ms) ${side} this process's, and more than ${limitMs} ms ` +
    "off the median of all nodes: when it is corrected, keys may expire early. Let NTP slew it"
  );
}
