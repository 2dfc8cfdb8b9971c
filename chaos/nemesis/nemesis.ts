import type { RedisFleet } from "../../src/testing/index.js";
import type { NowUs } from "../clock.js";
import type { Crew } from "../crew.js";
import type { FaultRecord } from "../history/records.js";
import type { Fault } from "./faults.js";
import { restUntil } from "./rest.js";
import { strike } from "./strike.js";

/** Carries out a plan, and heals everything afterwards. */
export class Nemesis {
  readonly #fleet: RedisFleet;
  readonly #crew: Crew;
  readonly #now: NowUs;
  readonly #record: (record: FaultRecord) => void;
  readonly #onFailure: (error: Error) => void;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #over = new AbortController();
  readonly #active = new Map<Fault, Promise<void>>();

  constructor(
    fleet: RedisFleet,
    crew: Crew,
    now: NowUs,
    record: (record: FaultRecord) => void,
    onFailure: (error: Error) => void,
  ) {
    this.#fleet = fleet;
    this.#crew = crew;
    this.#now = now;
    this.#record = record;
    this.#onFailure = onFailure;
  }

  /** Faults in progress. */
  get active(): readonly Fault[] {
    return [...this.#active.keys()];
  }

  start(plan: readonly Fault[]): void {
    for (const fault of plan) {
      const timer = setTimeout(() => this.#begin(fault), fault.atMs - this.#now() / 1_000);
      this.#timers.add(timer);
    }
  }

  /** Starts no more faults, and ends those in progress. */
  async end(): Promise<void> {
    this.abandon();
    await Promise.all(this.#active.values());
    this.#crew.resumeAll();
    this.#crew.fill();
  }

  /** Like `end`, without waiting for anything. */
  abandon(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#over.abort();
  }

  #begin(fault: Fault): void {
    this.#tell(fault, "begin");
    const done = strike(fault, this.#fleet, this.#crew, restUntil(this.#over.signal)).then(
      () => this.#tell(fault, "end"),
      (error: unknown) => this.#onFailure(new Error(`${fault.kind} failed`, { cause: error })),
    );
    this.#active.set(fault, done);
    void done.then(() => this.#active.delete(fault));
  }

  #tell({ id }: Fault, what: FaultRecord["what"]): void {
    this.#record({ kind: "fault", atUs: this.#now(), id, what });
  }
}
