import type { Choices } from "./choices.js";
import type { Mixup } from "./sim-proxy.js";
import type { SimProcess } from "./sim-process.js";
import type { World } from "./world.js";

/** How a network behaves. Plain data, part of a scenario. */
export interface NetworkSettings {
  /**
   * - `ordered`: like TCP. Bytes keep their order on a connection. A loss that is not repaired breaks
   *   the connection. Data already sent may still arrive after the client has closed it.
   * - `unordered`: like datagrams. Every message travels by itself, and may be lost or duplicated.
   */
  readonly kind: "ordered" | "unordered";
  readonly minDelayUs: number;
  /** Mean of the exponential part of the delay. */
  readonly meanDelayUs: number;
  /** Messages per 1000 whose delay is multiplied by `tailFactor`. */
  readonly tailPerMille: number;
  readonly tailFactor: number;
  readonly dropPerMille: number;
  readonly duplicatePerMille: number;
  /** Messages per 1000 that arrive long after the client closed their connection. */
  readonly zombiePerMille: number;
}

export type Way = "toNode" | "toClient";

/** Why nothing gets through. After a `hold`, even data that its sender has given up is delivered. */
export type Blockade = "partition" | "hold";

/** A message, or the opening of a connection, on its way. */
export interface Carried {
  readonly link: string;
  readonly way: Way;
  readonly sentUs: number;
  /** Undefined while it is under way. */
  arrivedUs: number | undefined;
  isLost: boolean;
}

/** The path between one client and one node, across all its connections and the client's restarts. */
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
  /** How what stands between the two mixes up replies now. */
  readonly mixups = new Set<Mixup>();
  #replyCount = 0;
  readonly #onCarry: ((carried: Carried) => void) | undefined;

  /**
   * @param distanceUs added to every delay, one way
   * @param onCarry called for each message when it is sent
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
    this.mixups.clear();
    for (const way of ["toNode", "toClient"] as const) {
      this.#blockades[way] = { partition: 0, hold: 0 };
      this.unblock(way, "partition");
    }
  }

  /** What becomes of the next reply, if anything. */
  nextMixup(): Mixup | undefined {
    const reply = `${this.name} reply ${this.#replyCount}`;
    if (this.mixups.size > 0) this.#replyCount++;
    return [...this.mixups].find(({ perMille, how }) => this.happens(perMille, reply, how));
  }

  /** Calls `flush` once nothing blocks that direction any more. */
  whenOpen(way: Way, flush: () => void): void {
    this.#waiting[way].add(flush);
  }

  /** Registers how a connection is broken; returns how to undo that. */
  register(reset: () => void): () => void {
    this.#connections.add(reset);
    return () => this.#connections.delete(reset);
  }

  /** Breaks all existing connections. */
  reset(): void {
    for (const reset of [...this.#connections]) reset();
  }

  /** The name of the next message in that direction: all decisions about it are made under this name. */
  nameMessage(way: Way): string {
    return `${this.name} ${way} ${this.#sent[way]++}`;
  }

  /** Reports a message that is sent now. Returns how to report what happens to it. */
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

  /** How long the kernels take to give up a connection that lost a byte, µs. */
  resetUs(message: string): number {
    return this.#choices.pick(300_000, `${message} reset after`);
  }

  /** How long a middlebox holds data after its connection was closed, µs. */
  zombieUs(message: string): number {
    return this.#choices.pick(3_000_000, `${message} zombie for`);
  }
}

/** A client process's end of its link. */
export interface LinkEnd {
  readonly link: Link;
  readonly process: SimProcess;
}

/**
 * Turns 30 uniform bits into an exponential distribution without a logarithm. The number of leading
 * zeros is the number of halvings of the density; the remaining bits are the position within that half.
 */
export function exponentialUs(bits: number, meanUs: number): number {
  const zeros = Math.clz32(bits | 1) - 2;
  const range = 2 ** (29 - zeros);
  const within = 1 - (Math.max(bits, 1) - range) / range;
  // On average, that is one halving and a half.
  return Math.floor((meanUs * 2 * (zeros + within)) / 3);
}
