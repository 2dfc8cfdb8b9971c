import type { CallEvent, HistoryEvent } from "./oracles/history.js";
import type { SimProcess } from "./sim-process.js";
import type { World } from "./world.js";

/** A call at its start. */
export type About = Pick<CallEvent, "what" | "name" | "withinMs"> &
  Partial<Pick<CallEvent, "ownerId" | "via" | "waitMs" | "isFair" | "mode" | "owner" | "queue">>;

/** Records the calls of one process: when each was made and how it settled. */
export class Calls {
  readonly #process: SimProcess;
  readonly #world: World;
  readonly #record: (event: HistoryEvent) => void;
  readonly #nextCall: () => number;
  #openCount = 0;

  /** @param nextCall numbers the calls of all processes */
  constructor(
    process: SimProcess,
    world: World,
    record: (event: HistoryEvent) => void,
    nextCall: () => number,
  ) {
    this.#process = process;
    this.#world = world;
    this.#record = record;
    this.#nextCall = nextCall;
  }

  /** Calls that have not settled. */
  get openCount(): number {
    return this.#openCount;
  }

  /** Records a call made now. Returns the function that records its result. */
  begin({ ownerId, ...about }: About): (result: string) => void {
    const call = this.#nextCall();
    const process = this.#process.name;
    const stamp = () => ({ atUs: this.#world.nowUs, steadyMs: this.#process.clock.steady() });
    this.#record({ kind: "call", ...stamp(), process, call, ownerId, ...about });
    this.#openCount++;
    return (result) => {
      this.#openCount--;
      this.#record({ kind: "settle", ...stamp(), process, call, result });
    };
  }
}
