import type { Clock, Timer } from "../coordinator/ports.js";
import { fellowsText, mayMark, nextStep, type BootstrapStep } from "../protocol/bootstrap.js";
import type { Sighting } from "../protocol/quarantine.js";
import type { RecordOrder } from "./transport.js";

export interface BootstrapSettings {
  readonly isQuarantineOn: boolean;
  /** Nothing is written, so no record is waited for. */
  readonly isLooking: boolean;
  /** Whether a new deployment, in which every node is seen without a record, votes immediately. */
  readonly isBootstrapOn: boolean;
  /** How long all nodes of a new deployment have to show up, and then to be opened, ms. */
  readonly windowMs: number;
}

/** The interface of a node for the decision on a new deployment. */
export interface Candidates {
  /** Read the node's record again, unless that is in progress; with an order, carry it out. */
  ask(index: number, order: RecordOrder | undefined): void;
  /** Operations may be sent: there is nothing to wait for. */
  admit(index: number): void;
}

/** Interval at which undecided nodes are read again, ms. */
const POLL_MS = 50;

/**
 * Opens a new deployment, see `protocol/bootstrap`. Its nodes wait until that is done or ruled out.
 */
export class Bootstrap {
  readonly #settings: BootstrapSettings;
  readonly #clock: Clock;
  /** What all nodes have shown, by index; undefined before a node's first handshake. */
  readonly #sightings: readonly (Sighting | undefined)[];
  readonly #nodes: Candidates;
  /** Nodes that were seen and wait for the decision. */
  readonly #waiting = new Set<number>();
  #window: Timer | undefined;
  #poll: Timer | undefined;
  #hasBegun = false;
  #isOver: boolean;

  /** @param sightings kept up to date by the caller */
  constructor(
    settings: BootstrapSettings,
    clock: Clock,
    sightings: readonly (Sighting | undefined)[],
    nodes: Candidates,
  ) {
    this.#settings = settings;
    this.#clock = clock;
    this.#sightings = sightings;
    this.#nodes = nodes;
    this.#isOver = !settings.isBootstrapOn || !settings.isQuarantineOn;
  }

  /** No node counts as new any more: a node without a record gets one immediately, and is quarantined. */
  get isOver(): boolean {
    return this.#isOver;
  }

  close(): void {
    this.#stop();
    this.#waiting.clear();
  }

  /** The node was seen. Admits it immediately, or later when the decision is made. */
  onSeen(index: number): void {
    if (this.#isCandidate(index)) {
      this.#waiting.add(index);
      this.#window ??= this.#clock.setTimer(this.#settings.windowMs, () => this.#end());
    } else {
      this.#admit(index);
    }
    if (this.#waiting.size > 0) this.#goOn();
  }

  #isCandidate(index: number): boolean {
    const sighting = this.#sightings[index];
    if (this.#settings.isLooking) return false;
    if (sighting?.record === undefined) return true;
    const { state } = sighting.record;
    return !this.#isOver && !sighting.sawChange && (state === "fresh" || state === "opening");
  }

  #goOn(): void {
    const step = nextStep(this.#sightings);
    if (this.#isOver || step === "over") {
      this.#end();
      return;
    }
    // All nodes have shown up: from here on the window is for opening them.
    if (step !== "wait" && !this.#hasBegun) {
      this.#hasBegun = true;
      this.#window?.cancel();
      this.#window = this.#clock.setTimer(this.#settings.windowMs, () => this.#end());
    }
    for (const index of this.#waiting) {
      const order = this.#orderFor(step, index);
      if (order !== undefined) this.#nodes.ask(index, order);
    }
    // Nodes are missing, or another client has to make the next step.
    this.#poll ??= this.#clock.setTimer(POLL_MS, () => {
      this.#poll = undefined;
      for (const index of this.#waiting) this.#nodes.ask(index, this.#orderFor(step, index));
    });
  }

  #orderFor(step: BootstrapStep, index: number): RecordOrder | undefined {
    const sighting = this.#sightings[index];
    const record = sighting?.record;
    if (step === "write" && record === undefined) return { becomes: "fresh" };
    if (record === undefined || sighting === undefined) return undefined;
    const { id, state } = record;
    if (step === "open" && state === "opening") return { becomes: "open", id };
    const isToMark =
      step === "mark" && mayMark(sighting, this.#clock.now(), this.#settings.windowMs);
    return isToMark ? { becomes: "opening", id, fellows: fellowsText(this.#sightings) } : undefined;
  }

  /** Nodes that are not open by now are quarantined, once they have a record. */
  #end(): void {
    this.#isOver = true;
    this.#stop();
    for (const index of [...this.#waiting]) {
      if (this.#sightings[index]?.record === undefined)
        this.#nodes.ask(index, { becomes: "fresh" });
      else this.#admit(index);
    }
  }

  #admit(index: number): void {
    this.#waiting.delete(index);
    if (this.#waiting.size === 0) this.#stop();
    this.#nodes.admit(index);
  }

  #stop(): void {
    this.#window?.cancel();
    this.#window = undefined;
    this.#poll?.cancel();
    this.#poll = undefined;
  }
}
