import type { Clock, Timer } from "../coordinator/ports.js";
import { isConfirmedNew, lookAt, type Sighting } from "../protocol/incarnation.js";

/** What all nodes have shown, by index; undefined before a node's first handshake. */
export type Sightings = readonly (Sighting | undefined)[];

export interface BootstrapSettings {
  readonly isQuarantineOn: boolean;
  /** Whether a new deployment, all of whose nodes are seen without a record, votes at once. */
  readonly isBootstrapOn: boolean;
  /** How long all nodes of a new deployment have to show up, ms. */
  readonly windowMs: number;
}

/** The nodes, as the decision on a new deployment asks them. */
export interface Candidates {
  /** Look at the record again; with `openId`, open it if that is still its id. */
  handshake(index: number, openId: string | undefined): void;
  /** Operations may flow: nothing is to be waited for. */
  admit(index: number): void;
  /** The window is over, and it is undecided. */
  onUndecided(index: number): void;
}

/** How often undecided nodes are looked at again, ms. */
const POLL_MS = 50;

/**
 * Decides on a new deployment, for which all nodes have to show up without a record, twice: then it opens them.
 * Until it is decided the nodes wait.
 */
export class Bootstrap {
  readonly #settings: BootstrapSettings;
  readonly #clock: Clock;
  readonly #sightings: Sightings;
  readonly #nodes: Candidates;
  /** Nodes whose handshake is in but whose admission waits for the decision. */
  readonly #waiting = new Set<number>();
  /** Sightings of the first look; the second is complete when every node was seen after it. */
  #firstLook: Sightings | undefined;
  readonly #seenAgain = new Set<number>();
  /** Ids of the records that a second look confirmed to be a new deployment's. */
  #confirmedIds: readonly (string | undefined)[] = [];
  #window: Timer | undefined;
  #poll: Timer | undefined;
  #isWindowOver = false;

  /** @param sightings kept up to date by the caller */
  constructor(settings: BootstrapSettings, clock: Clock, sightings: Sightings, nodes: Candidates) {
    this.#settings = settings;
    this.#clock = clock;
    this.#sightings = sightings;
    this.#nodes = nodes;
  }

  close(): void {
    this.#window?.cancel();
    this.#poll?.cancel();
    this.#waiting.clear();
  }

  /** The node was seen. Admits it at once, or later when it is decided. */
  onSeen(index: number): void {
    if (!this.#isUndecided(index)) {
      this.#admit(index);
    } else {
      this.#waiting.add(index);
      // Twice the window: by then every record that was there at its start has grown too old.
      this.#window ??= this.#clock.setTimer(2 * this.#settings.windowMs, () => this.#endWindow());
    }
    if (this.#waiting.size > 0) this.#decide(index);
  }

  /**
   * A young record may be one of a new deployment: worth waiting for the other nodes.
   *
   * Also for a node that is open already. A vote it gave before its fellows were open it could
   * forget without a trace on any of them, and the deployment would look new once more, while the
   * round of that vote is still under way.
   */
  #isUndecided(index: number): boolean {
    const { isBootstrapOn, isQuarantineOn, windowMs } = this.#settings;
    const sighting = this.#sightings[index];
    if (!isBootstrapOn || !isQuarantineOn || this.#isWindowOver) return false;
    if (sighting === undefined || sighting.sawChange) return false;
    const { state } = sighting.record;
    if (state !== "fresh" && state !== "open") return false;
    const look = lookAt(this.#sightings, windowMs);
    return look === "new" || look === "maybe";
  }

  #decide(index: number): void {
    const { windowMs } = this.#settings;
    const look = lookAt(this.#sightings, windowMs);
    if (look === "old" || look === "open") {
      this.#admitAll();
    } else if (look === "maybe") {
      this.#firstLook = undefined;
      this.#pollWaiting();
    } else if (this.#firstLook === undefined) {
      this.#firstLook = [...this.#sightings];
      this.#seenAgain.clear();
      this.#sightings.forEach((_, each) => this.#nodes.handshake(each, undefined));
    } else {
      this.#seenAgain.add(index);
      if (this.#seenAgain.size < this.#sightings.length) return;
      if (isConfirmedNew(this.#firstLook, this.#sightings, windowMs)) {
        this.#confirmedIds = this.#sightings.map((sighting) => sighting?.record.id);
        this.#handshakeWaiting();
      }
      this.#firstLook = undefined;
    }
  }

  /** Looks again; a node whose record was confirmed to be new is opened if it still has it. */
  #handshakeWaiting(): void {
    for (const index of this.#waiting) this.#nodes.handshake(index, this.#confirmedIds[index]);
  }

  /**
   * Another client is opening the deployment and its messages are on the way, or nodes are missing:
   * then the records that are there grow old, which decides too.
   */
  #pollWaiting(): void {
    this.#poll ??= this.#clock.setTimer(POLL_MS, () => {
      this.#poll = undefined;
      this.#handshakeWaiting();
    });
  }

  #endWindow(): void {
    this.#isWindowOver = true;
    for (const index of this.#waiting) this.#nodes.onUndecided(index);
    this.#admitAll();
  }

  #admitAll(): void {
    for (const index of [...this.#waiting]) this.#admit(index);
  }

  #admit(index: number): void {
    this.#waiting.delete(index);
    if (this.#waiting.size === 0) {
      this.#window?.cancel();
      this.#window = undefined;
      this.#poll?.cancel();
      this.#poll = undefined;
    }
    this.#nodes.admit(index);
  }
}
