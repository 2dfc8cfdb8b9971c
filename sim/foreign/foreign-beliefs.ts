import type { ForeignEvent } from "../oracles/history.js";
import type { SimEvent } from "../event-queue.js";
import type { Recorder } from "../recorder.js";
import type { SimProcess } from "../sim-process.js";
import type { World } from "../world.js";

interface Belief {
  readonly process: SimProcess;
  readonly name: string;
  untilMs: number;
  expiry: SimEvent | undefined;
}

/** Which foreign process believes that it holds which lock, according to its wall clock. */
export class ForeignBeliefs {
  readonly #world: World;
  readonly #record: Recorder;
  readonly #beliefs = new Map<string, Belief>();

  constructor(world: World, record: Recorder) {
    this.#world = world;
    this.#record = record;
  }

  isHeld(ownerId: string): boolean {
    return this.#beliefs.has(ownerId);
  }

  /** Ignores a lock whose time is already over. */
  begin(process: SimProcess, name: string, ownerId: string, untilMs: number): void {
    const belief: Belief = { process, name, untilMs, expiry: undefined };
    if (isOver(belief)) return;
    this.#beliefs.set(ownerId, belief);
    this.#tell(belief, ownerId, "grant");
    this.#watch(ownerId, belief);
  }

  renew(ownerId: string, untilMs: number): void {
    const belief = this.#beliefs.get(ownerId);
    if (belief === undefined) return;
    belief.untilMs = untilMs;
    this.#tell(belief, ownerId, "renewed");
    this.#watch(ownerId, belief);
  }

  end(ownerId: string): void {
    const belief = this.#beliefs.get(ownerId);
    if (belief === undefined) return;
    this.#beliefs.delete(ownerId);
    if (belief.expiry) belief.expiry.run = undefined;
    this.#tell(belief, ownerId, "end");
  }

  endAll(process: SimProcess): void {
    for (const [ownerId, belief] of this.#beliefs)
      if (belief.process === process) this.end(ownerId);
  }

  #tell({ process, name }: Belief, ownerId: string, what: ForeignEvent["what"]): void {
    this.#record({ kind: "foreign", process: process.name, name, ownerId, what });
  }

  #watch(ownerId: string, belief: Belief): void {
    if (belief.expiry) belief.expiry.run = undefined;
    const untilUs = belief.process.trueUsAtWall(belief.untilMs);
    belief.expiry = this.#world.at(untilUs, () => this.end(ownerId));
  }
}

function isOver({ process, untilMs }: Belief): boolean {
  return process.clock.wallUs() >= untilMs * 1_000;
}
