import { minorityOf, type CampaignSettings } from "../settings.js";
import { forgetsOn, type Fault } from "./faults.js";

/** What clients need to see a node again after a fault, ms: a reconnect and a handshake, on a busy host. */
const RETURN_MS = 1_500;

/** A client that starts late trusts the age of a node's record by so much less, ms. */
const AGE_GUARD_MS = 1_000;

interface Spell {
  readonly node: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Keeps a plan inside the model: never more than a minority of nodes disturbed at once, the
 * quarantine of those that forgot included. So a quorum is there at any time for all clients that are
 * not cut off, and whatever takes that quorum away is a finding.
 */
export class Budget {
  readonly #settings: CampaignSettings;
  readonly #spells: Spell[] = [];

  constructor(settings: CampaignSettings) {
    this.#settings = settings;
  }

  /** Books the fault; false if it is one too many, or strikes a node that is struck already. */
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
    // Strikes a minority, then one more when that is back: there is room for it only when all is calm.
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
