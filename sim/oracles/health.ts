import { getOrAdd } from "./get-or-add.js";
import type { HistoryEvent, LinkEvent, NodeEvent, ProcessEvent } from "./history.js";

/** The faults of one node, process or link: how many there are, and when the last one ended. */
interface Trouble {
  count: number;
  lastUs: number;
}

/**
 * Since when a process can reach a node that is well and counts its votes, as far as the faults of a run tell. When
 * it is healed, what was wrong is over.
 */
export class Health {
  readonly #troubles = new Map<string, Trouble>();
  readonly #isolated = new Set<number>();
  /** Nodes that vote; at first none does. */
  readonly #voters = new Set<number>();
  #healedUs = 0;

  see(event: HistoryEvent): void {
    const { atUs } = event;
    switch (event.kind) {
      case "node":
        if (event.what === "isolate") this.#isolated.add(event.node);
        else this.#count(`n${event.node}`, NODE[event.what] ?? 0, atUs);
        break;
      case "process":
        this.#count(event.process, PROCESS[event.what] ?? 0, atUs);
        break;
      case "link":
        this.#count(linkOf(event.process, event.node), stepOf(event), atUs);
        break;
      case "eligible":
        if (event.isEligible) this.#voters.add(event.node);
        else this.#voters.delete(event.node);
        this.#count(votesOf(event.node), 0, atUs);
        break;
      case "vote":
        if (event.fault !== "quarantined") break;
        // Each process counts from when it saw that the node had lost its data.
        this.#count(votesOf(event.node, event.process), 0, atUs);
        break;
      case "phase":
        if (event.what !== "heal" && event.what !== "calm") break;
        this.#healedUs = atUs;
        if (event.what === "calm") this.#isolated.clear();
        for (const trouble of this.#troubles.values()) trouble.count = 0;
        break;
      default:
        break;
    }
  }

  /** Infinite while it is not. */
  wellSinceUs(process: string, node: number): number {
    if (this.#isolated.has(node) || !this.#voters.has(node)) return Number.POSITIVE_INFINITY;
    let sinceUs = this.#healedUs;
    const client = clientOf(process);
    const votes = [votesOf(node), votesOf(node, process)];
    for (const what of [`n${node}`, ...votes, process, linkOf(client, node)]) {
      const trouble = this.#troubles.get(what);
      if (trouble === undefined) continue;
      if (trouble.count > 0) return Number.POSITIVE_INFINITY;
      sinceUs = Math.max(sinceUs, trouble.lastUs);
    }
    return sinceUs;
  }

  #count(what: string, step: number, atUs: number): void {
    const trouble = getOrAdd(this.#troubles, what, () => ({ count: 0, lastUs: 0 }));
    trouble.count = Math.max(0, trouble.count + step);
    trouble.lastUs = atUs;
  }
}

const NODE: Partial<Record<NodeEvent["what"], number>> = {
  ...{ crash: 1, restart: -1, freeze: 1, thaw: -1, errors: 1, calm: -1 },
};

const PROCESS: Partial<Record<ProcessEvent["what"], number>> = {
  ...{ pause: 1, resume: -1, suspend: 1, wake: -1 },
};

function stepOf({ what }: LinkEvent): number {
  if (what === "reset") return 0;
  return what.endsWith(" over") ? -1 : 1;
}

/** As all processes count them, or one. */
function votesOf(node: number, process = "all"): string {
  return `votes of n${node} for ${process}`;
}

/** A client that was restarted has the links that it had. */
function clientOf(process: string): string {
  return process.split("+", 1)[0] ?? process;
}

function linkOf(client: string, node: number): string {
  return `${client}-n${node}`;
}
