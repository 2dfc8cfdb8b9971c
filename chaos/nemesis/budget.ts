import { minorityOf, type CampaignSettings } from "../settings.js";
import { forgetsOn, type Fault } from "./faults.js";

/** Time that clients need to see a node again after a fault, ms: a reconnect and a handshake, on a busy host. */
const RETURN_MS = 1_500;

/** How much a client that starts late deducts from the age of a node's record, ms. */
const AGE_GUARD_MS = 1_000;

interface Spell {
  readonly node: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Keeps a plan inside the model: at most a minority of nodes is disturbed at once, including the quarantine of
 * nodes that lost data. All clients that are not cut off therefore have a quorum at any time, and anything that takes
 * it away is a finding.
 */
export class Budget {
  readonly #settings: CampaignSettings;
  readonly #spells: Spell[] = [];

  constructor(settings: CampaignSettings) {
    this.#settings = settings;
  }

  /** Books the fault; false if it is one too many, or hits a node that is already disturbed. */
  take(fault: Fault): boolean {
    const spells = fault.nodes.map((node) => this.#spellOf(fault, node));
    const others = this.#spells.filter((other) =>
      spells.some(({ fromMs, toMs }) => other.fromMs < toMs && fromMs < other.toMs),
    );
    if (!this.#hasRoom(fault, others)) return false;
    this.#spells.push(...spells);
    return true;
  }

  #hasRoom(fault: Fault, others: readonly Spell[]): boolean {
    // Hits a minority, then one more node when that is back: it fits only when all nodes are undisturbed.
    if (fault.kind === "relay" || fault.kind === "majorityEmpty") return others.length === 0;
    const busy = new Set(others.map(({ node }) => node));
    if (fault.nodes.some((node) => busy.has(node))) return false;
    return busy.size + fault.nodes.length <= minorityOf(this.#settings.nodeCount);
  }

  #spellOf(fault: Fault, node: number): Spell {
    const { maxTtlMs, driftFactor } = this.#settings;
    const quarantineMs = maxTtlMs * (1 + driftFactor) + AGE_GUARD_MS;
    const tailMs = RETURN_MS + (forgetsOn(fault, node) ? quarantineMs : 0);
    return { node, fromMs: fault.atMs, toMs: fault.atMs + fault.forMs + tailMs };
  }
}
