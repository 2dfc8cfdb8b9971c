import { Candidacy, type CampaignOutcome, type Leadership } from "../src/election/candidacy.js";
import type { AcquireOutcome } from "../src/coordinator/pending-acquire.js";
import type { Lease } from "../src/coordinator/lease.js";
import type { SimManager } from "./manager.js";
import type { SimProcess } from "./sim-process.js";

/** Whose calls are written down. */
interface Candidate {
  readonly manager: SimManager;
  readonly process: SimProcess;
  release(lease: Lease): Promise<string>;
  expectRelease(lease: Lease): (result: string) => void;
  expectTerm(name: string): (outcome: "granted" | "aborted") => void;
}

/** A term, as an election sees it: the lease, released by a call that is written down. */
class SimTerm implements Leadership {
  readonly lease: Lease;
  readonly #client: Candidate;
  #onResigned: ((result: string) => void) | undefined;

  constructor(client: Candidate, lease: Lease) {
    this.#client = client;
    this.lease = lease;
  }

  get isHeld(): boolean {
    return this.lease.isHeld();
  }

  get isLost(): boolean {
    return this.lease.state === "lost";
  }

  async resign(): Promise<void> {
    const result = await this.#client.release(this.lease);
    this.#onResigned?.(result);
  }

  /** Whoever is through with it counts on the election to resign: a release that has to settle. */
  leave(): void {
    if (this.isHeld) this.#onResigned = this.#client.expectRelease(this.lease);
  }
}

/** Elections of one client, by the production candidacy. */
export class SimElection {
  readonly #client: Candidate;
  readonly #name: string;
  readonly #candidacy: Candidacy<SimTerm>;
  #last: SimTerm | undefined;

  constructor(client: Candidate, name: string, onOver: () => void) {
    const { manager, process } = client;
    this.#client = client;
    this.#name = name;
    const outcomeOf = (outcome: AcquireOutcome): CampaignOutcome<SimTerm> => {
      if (outcome.kind !== "granted") return { kind: "failed", error: outcome.kind };
      return { kind: "elected", term: new SimTerm(client, outcome.lease) };
    };
    const electorate = {
      unit: () => process.entropy.unit(),
      campaign: (delayMs: number, settle: (outcome: CampaignOutcome<SimTerm>) => void) =>
        manager.campaign(name, delayMs, (outcome) => settle(outcomeOf(outcome))),
    };
    this.#candidacy = new Candidacy(electorate, manager.retry, onOver);
  }

  /** The next term, or undefined if there are no more. */
  async next(): Promise<Lease | undefined> {
    this.#last?.leave();
    const settle = this.#client.expectTerm(this.#name);
    try {
      const { value } = await this.#candidacy.next();
      this.#last = value;
      settle(value === undefined ? "aborted" : "granted");
      return value?.lease;
    } catch {
      settle("aborted");
      return undefined;
    }
  }

  async end(): Promise<void> {
    this.#last?.leave();
    await this.#candidacy.end();
  }
}
