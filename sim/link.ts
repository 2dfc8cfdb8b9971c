import type { Choices } from "./choices.js";
import type { SimProcess } from "./sim-process.js";
import type { World } from "./world.js";

/** How a network behaves. Plain data, part of a scenario. */
export interface NetworkSettings {
  /**
   * - `ordered`: like TCP. Bytes keep their order on a connection; a loss that is not repaired
   *   breaks it; what was sent may still arrive after the client has closed.
   * - `unordered`: like datagrams. Every message goes its own way, may be lost, or come twice.
   */
  readonly kind: "ordered" | "unordered";
  readonly minDelayUs: number;
  /** Mean of the exponential part of the delay. */
  readonly meanDelayUs: number;
  /** Messages of 1000 whose delay is multiplied by `tailFactor`. */
  readonly tailPerMille: number;
  readonly tailFactor: number;
  readonly dropPerMille: number;
  readonly duplicatePerMille: number;
  /** Messages of 1000 that arrive long after their connection was closed by the client. */
  readonly zombiePerMille: number;
}

export type Way = "toNode" | "toClient";

/** Why nothing comes through: a `hold`er delivers later even what its sender has given up. */
export type Blockade = "partition" | "hold";

/** One message, or the opening of a connection, on its way. */
export interface Carried {
  readonly link: string;
  readonly way: Way;
  readonly sentUs: number;
  /** Undefined as long as it is under way. */
  arrivedUs: number | undefined;
  isLost: boolean;
}

/** The way between one client and one node, over all its connections and the client's restarts. */
export class Link {
  readonly name: string;
  readonly #world: World;
  readonly #choices: Choices;
  readonly #network: () => NetworkSettings;
  readonly #distanceUs: number;
  readonly #blockades: Record<Way, Record<Blockade, number>> = {
    toNode: { partition: 0, hold: 0 },
    toClient: { partition: 0, hold: 0 },
  };
  readonly #sent: Record<Way, number> = { toNode: 0, toClient: 0 };
  readonly #waiting: Record<Way, Set<() => void>> = { toNode: new Set(), toClient: new Set() };
  readonly #connections = new Set<() => void>();
  readonly #onCarry: ((carried: Carried) => void) | undefined;

  /**
   * @param distanceUs added to every delay, one way
   * @param onCarry told of each message when it is sent
   */
  constructor(
    name: string,
    world: World,
    choices: Choices,
    network: () => NetworkSettings,
    distanceUs = 0,
    onCarry?: (carried: Carried) => void,
  ) {
    this.name = name;
    this.#onCarry = onCarry;
    this.#distanceUs = distanceUs;
    this.#world = world;
    this.#choices = choices;
    this.#network = network;
  }

  get network(): NetworkSettings {
    return this.#network();
  }

  blockade(way: Way): Blockade | undefined {
    const { partition, hold } = this.#blockades[way];
    if (partition > 0) return "partition";
    return hold > 0 ? "hold" : undefined;
  }

  block(way: Way, kind: Blockade): void {
    this.#blockades[way][kind]++;
  }

  unblock(way: Way, kind: Blockade): void {
    this.#blockades[way][kind] = Math.max(0, this.#blockades[way][kind] - 1);
    if (this.blockade(way) !== undefined) return;
    const waiting = [...this.#waiting[way]];
    this.#waiting[way].clear();
    for (const flush of waiting) flush();
  }

  healAll(): void {
    for (const way of ["toNode", "toClient"] as const) {
      this.#blockades[way] = { partition: 0, hold: 0 };
      this.unblock(way, "partition");
    }
  }

  /** Called once when nothing blocks that way any more. */
  whenOpen(way: Way, flush: () => void): void {
    this.#waiting[way].add(flush);
  }

  /** Connections say how they are broken; returns how to take that back. */
  register(reset: () => void): () => void {
    this.#connections.add(reset);
    return () => this.#connections.delete(reset);
  }

  /** Breaks the connections there are. */
  reset(): void {
    for (const reset of [...this.#connections]) reset();
  }

  /** A name for the next message that way: all decisions about it are made by this name. */
  nameMessage(way: Way): string {
    return `${this.name} ${way} ${this.#sent[way]++}`;
  }

  /** Tells of a message that is sent now. Returns how to tell what becomes of it. */
  watch(way: Way): ((isLost: boolean) => void) | undefined {
    if (this.#onCarry === undefined) return undefined;
    const sentUs = this.nowUs;
    const carried: Carried = {
      ...{ link: this.name, way, sentUs },
      ...{ arrivedUs: undefined, isLost: false },
    };
    this.#onCarry(carried);
    return (isLost) => {
      carried.arrivedUs ??= this.nowUs;
      carried.isLost = isLost;
    };
  }

  happens(perMille: number, message: string, what: string): boolean {
    return perMille > 0 && this.#choices.pick(1_000, `${message} ${what}`) < perMille;
  }

  /** Minimum plus exponential, with a heavy tail, and the link's own distance. */
  delayUs(message: string): number {
    const { minDelayUs, meanDelayUs, tailPerMille, tailFactor } = this.#network();
    const spread = exponentialUs(this.#choices.pick(2 ** 30, `${message} delay`), meanDelayUs);
    const factor = this.happens(tailPerMille, message, "tail") ? tailFactor : 1;
    return (minDelayUs + spread) * factor + this.#distanceUs;
  }

  at(atUs: number, run: () => void): void {
    this.#world.at(atUs, run);
  }

  get nowUs(): number {
    return this.#world.nowUs;
  }

  /** How long it takes until a connection that lost a byte is given up by its kernels, µs. */
  resetUs(message: string): number {
    return this.#choices.pick(300_000, `${message} reset after`);
  }

  /** How long bytes outlive their connection on some box in the middle, µs. */
  zombieUs(message: string): number {
    return this.#choices.pick(3_000_000, `${message} zombie for`);
  }
}

/** Where a client process meets its link. */
export interface LinkEnd {
  readonly link: Link;
  readonly process: SimProcess;
}

/**
 * From 30 uniform bits to an exponential distribution without a logarithm: the number of leading
 * zeros says how often the density was halved, the bits behind them where within that half.
 */
export function exponentialUs(bits: number, meanUs: number): number {
  const zeros = Math.clz32(bits | 1) - 2;
  const range = 2 ** (29 - zeros);
  const within = 1 - (Math.max(bits, 1) - range) / range;
  // On average that is one halving and a half.
  return Math.floor((meanUs * 2 * (zeros + within)) / 3);
}
