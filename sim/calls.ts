import type { CallEvent } from "./oracles/history.js";
import type { Recorder } from "./recorder.js";
import type { SimProcess } from "./sim-process.js";

/** A call at its start. */
export type About = Pick<CallEvent, "what" | "name" | "withinMs"> &
  Partial<
    Pick<
      CallEvent,
      | "ownerId"
      | "token"
      | "via"
      | "waitMs"
      | "isFair"
      | "isStealing"
      | "hasOwnOptions"
      | "mode"
      | "owner"
      | "queue"
      | "toMs"
      | "resizeTo"
      | "leaseMs"
      | "maxWaiters"
    >
  >;

/** Records the calls of one process: when each was made and how it settled. */
export class Calls {
  readonly #process: SimProcess;
  readonly #record: Recorder;
  readonly #nextCall: () => number;
  #openCount = 0;

  /** @param nextCall numbers the calls of all processes */
  constructor(process: SimProcess, record: Recorder, nextCall: () => number) {
    this.#process = process;
    this.#record = record;
    this.#nextCall = nextCall;
  }

  /** Calls that have not settled. */
  get openCount(): number {
    return this.#openCount;
  }

  /** Records a call made now. Returns the function that records its result. */
  begin({ ownerId, ...about }: About): (result: string, waitingCount?: number) => void {
    const call = this.#nextCall();
    const process = this.#process.name;
    const stamp = () => ({ steadyMs: this.#process.clock.steady() });
    this.#record({ kind: "call", ...stamp(), process, call, ownerId, ...about });
    this.#openCount++;
    return (result, waitingCount) => {
      this.#openCount--;
      const more = waitingCount === undefined ? {} : { waitingCount };
      this.#record({ kind: "settle", ...stamp(), process, call, result, ...more });
    };
  }
}
