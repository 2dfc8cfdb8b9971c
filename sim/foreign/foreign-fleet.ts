import { SimProcess } from "../sim-process.js";
import { ForeignBeliefs } from "./foreign-beliefs.js";
import { ForeignClient } from "./foreign-client.js";
import type { ForeignParts } from "./foreign-parts.js";
import type { ForeignSettings } from "./settings.js";

/** The processes of foreign code in a run. */
export class ForeignFleet {
  readonly beliefs: ForeignBeliefs;
  readonly #parts: ForeignParts;
  readonly #settings: readonly ForeignSettings[];
  readonly #clients: (ForeignClient | undefined)[] = [];
  readonly #restarts: number[] = [];

  constructor(settings: readonly ForeignSettings[], parts: ForeignParts) {
    this.#parts = parts;
    this.#settings = settings;
    this.beliefs = new ForeignBeliefs(parts.world, parts.record);
  }

  /** Schedules everything they do. */
  plan(): void {
    const { world } = this.#parts;
    this.#settings.forEach(({ startMs, sessions }, index) => {
      world.at(startMs * 1_000, () => this.start(index));
      for (const session of sessions) {
        world.at(session.atMs * 1_000, () => {
          const client = this.#alive(index);
          client?.process.enter(() => void client.run(session));
        });
      }
    });
  }

  /** Live processes. */
  get processes(): readonly SimProcess[] {
    return this.#settings.flatMap((_, index) => this.processAt(index) ?? []);
  }

  processAt(index: number): SimProcess | undefined {
    return this.#alive(index)?.process;
  }

  start(index: number): void {
    const settings = this.#settings[index];
    if (settings === undefined || this.#alive(index) !== undefined) return;
    const restart = this.#restarts[index] ?? 0;
    this.#restarts[index] = restart + 1;
    const { world, choices, record, wallStartUs, timerSlopUs } = this.#parts;
    const process = new SimProcess(world, choices, {
      name: restart === 0 ? `f${index}` : `f${index}+${restart}`,
      wallStartUs: wallStartUs + settings.wallOffsetMs * 1_000,
      steadyPpm: settings.steadyPpm,
      wallPpm: settings.wallPpm,
      timerSlopUs,
    });
    record({ kind: "process", process: process.name, what: "start" });
    this.#clients[index] = new ForeignClient(process, settings, {
      ...this.#parts,
      links: this.#parts.links[index] ?? [],
      beliefs: this.beliefs,
    });
  }

  kill(index: number): void {
    const client = this.#alive(index);
    if (client === undefined) return;
    const { process } = client;
    this.#parts.record({ kind: "process", process: process.name, what: "crash" });
    this.beliefs.endAll(process);
    client.crash();
  }

  #alive(index: number): ForeignClient | undefined {
    const client = this.#clients[index];
    return client?.process.isDead === true ? undefined : client;
  }
}
