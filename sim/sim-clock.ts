const MILLION = 1_000_000;

/** Rate of a stopped clock, in parts per million off true time. */
export const STOPPED_PPM = -MILLION;

/**
 * A clock in whole microseconds that runs at its own rate and can be set. Between two changes it is linear in
 * true time.
 */
export class SimClock {
  #fromTrueUs = 0;
  #fromUs: number;
  #ratePpm: number;

  /** @param ratePpm its deviation from true time, in parts per million */
  constructor(startUs: number, ratePpm: number) {
    this.#fromUs = startUs;
    this.#ratePpm = ratePpm;
  }

  get ratePpm(): number {
    return this.#ratePpm;
  }

  /** Its reading at an instant of true time that is not before the last change. */
  at(trueUs: number): number {
    const passed = trueUs - this.#fromTrueUs;
    return this.#fromUs + passed + Math.floor((passed * this.#ratePpm) / MILLION);
  }

  /** The first instant of true time at which it shows this or more; Infinity if it is stopped. */
  trueAt(us: number): number {
    if (us <= this.#fromUs) return this.#fromTrueUs;
    if (this.#ratePpm === STOPPED_PPM) return Number.POSITIVE_INFINITY;
    const left = us - this.#fromUs;
    let trueUs = this.#fromTrueUs + Math.floor((left * MILLION) / (MILLION + this.#ratePpm));
    while (this.at(trueUs) < us) trueUs++;
    return trueUs;
  }

  setRate(trueUs: number, ratePpm: number): void {
    this.#fromUs = this.at(trueUs);
    this.#fromTrueUs = trueUs;
    this.#ratePpm = ratePpm;
  }

  jump(trueUs: number, byUs: number): void {
    this.#fromUs = this.at(trueUs) + byUs;
    this.#fromTrueUs = trueUs;
  }
}
