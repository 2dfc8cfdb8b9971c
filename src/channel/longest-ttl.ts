import type { Sighting } from "../protocol/quarantine.js";
import { quorumSize } from "../protocol/quorum.js";

export interface LongestTtlSettings {
  readonly nodeCount: number;
  /** Longest ttl of this client's locks, ms, with what keeps their names. */
  readonly maxTtlMs: number;
  /** Whether the records are raised to it; if not, it is limited by them. */
  readonly raisesTtl: boolean;
  /** With which the record of a new node begins, ms. */
  readonly firstTtlMs: number;
  /** What this client's usual lock needs, ms. */
  readonly usualTtlMs: number;
}

/** The longest ttl that a quorum of the nodes allows for, ms; undefined if fewer have a record. */
export function recordedTtlMs(sightings: readonly (Sighting | undefined)[]): number | undefined {
  const all = sightings.flatMap((seen) => seen?.record?.maxTtlMs ?? []);
  return all.toSorted((a, b) => b - a)[quorumSize(sightings.length) - 1];
}

/** The longest ttl of a lock as the records of all nodes have it: what a lost record gets, and what is said about it. */
export class LongestTtl {
  readonly #settings: LongestTtlSettings;
  readonly #sightings: readonly (Sighting | undefined)[];
  readonly #warn: (index: number, message: string) => void;
  /** The largest value that was told, ms. */
  #toldMs = 0;
  #isLoweringTold = false;

  /** @param sightings kept up to date by the caller, in node order */
  constructor(
    settings: LongestTtlSettings,
    sightings: readonly (Sighting | undefined)[],
    warn: (index: number, message: string) => void,
  ) {
    this.#settings = settings;
    this.#sightings = sightings;
    this.#warn = warn;
  }

  /** As far as nodes were seen, ms. */
  get recordedMs(): number | undefined {
    return recordedTtlMs(this.#sightings);
  }

  /** The longest on the record of any other node, ms; undefined where none was seen. */
  shownBeside(index: number): number | undefined {
    const shown = this.#sightings.flatMap((seen, at) =>
      at === index ? [] : (seen?.record?.maxTtlMs ?? []),
    );
    return shown.length === 0 ? undefined : Math.max(...shown);
  }

  /** With which a record of the node begins, ms. A lost one had what the others show. */
  firstFor(index: number): number {
    return this.shownBeside(index) ?? this.#settings.firstTtlMs;
  }

  /**
   * @param earlierMs on this node's record before its handshake; 0 if there was none
   * @param before the previous sighting, if the node was seen before
   */
  onSeen(index: number, earlierMs: number, before: Sighting | undefined): void {
    const nowMs = this.#sightings[index]?.record?.maxTtlMs ?? 0;
    const seenMs = before?.record?.maxTtlMs ?? 0;
    if (earlierMs > 0 && nowMs > earlierMs) this.#tellRaise(index, earlierMs, nowMs, "this");
    else if (seenMs > 0 && nowMs > seenMs) this.#tellRaise(index, seenMs, nowMs, "another");
    this.#tellLowering(index);
  }

  #tellRaise(index: number, fromMs: number, toMs: number, who: "this" | "another"): void {
    if (toMs <= this.#toldMs) return;
    this.#toldMs = toMs;
    const raise = `${who} client raised the longest ttl on record from ${fromMs} to ${toMs} ms`;
    this.#warn(index, `${raise}: whenever a node loses its data, it does not vote for that long`);
  }

  #tellLowering(index: number): void {
    const { maxTtlMs, raisesTtl, usualTtlMs } = this.#settings;
    const { recordedMs } = this;
    if (raisesTtl || this.#isLoweringTold || recordedMs === undefined) return;
    if (recordedMs >= maxTtlMs || usualTtlMs > recordedMs) return;
    this.#isLoweringTold = true;
    const limit = `locks may last ${recordedMs} ms here, as on record, and not ${maxTtlMs} ms`;
    this.#warn(index, `${limit}: set \`maxTtlMs\` to raise it for all clients`);
  }
}
