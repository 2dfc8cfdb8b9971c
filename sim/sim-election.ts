import type { Election, Term } from "../src/face/election.js";
import type { LockManager } from "../src/lock-manager.js";
import type { SimLock } from "./sim-lock.js";
import type { SimProcess } from "./sim-process.js";

/** Whose calls are written down. */
interface Candidate {
  readonly locks: LockManager<boolean>;
  readonly process: SimProcess;
  expectTerm(name: string): (result: string) => void;
  expectRelease(had: SimLock): (result: string) => void;
}

interface Candidature {
  /** It gives up after this, ms. */
  readonly abortAfterMs: number | undefined;
  /** A term as a history knows it. */
  readonly had: (term: Term<boolean>) => SimLock;
  readonly onOver: () => void;
}

/** One election in which a service stands: its terms are asked for, and left, where that is written down. */
export class SimElection {
  readonly #client: Candidate;
  readonly #candidature: Candidature;
  readonly #election: Election<boolean>;
  readonly #controller = new AbortController();
  #last: SimLock | undefined;

  constructor(client: Candidate, name: string, candidature: Candidature) {
    this.#client = client;
    this.#candidature = candidature;
    this.#election = client.locks.elect(name, { signal: this.#controller.signal });
    const { abortAfterMs } = candidature;
    if (abortAfterMs !== undefined) void client.process.sleep(abortAfterMs).then(() => this.end());
  }

  /** The next term, or undefined if there are no more. */
  async next(): Promise<SimLock | undefined> {
    const settle = this.#client.expectTerm(this.#election.name);
    try {
      const { value } = await this.#leave(() => this.#election.next());
      settle(value === undefined ? "aborted" : "granted");
      this.#last = value && this.#candidature.had(value);
      return this.#last;
    } catch {
      settle("aborted");
      return undefined;
    }
  }

  async end(): Promise<void> {
    this.#candidature.onOver();
    await this.#leave(() => {
      this.#controller.abort();
      return this.#election.return();
    });
  }

  /** Whoever is through with a term counts on the election to resign. */
  #leave<T>(how: () => Promise<T>): Promise<T> {
    const last = this.#last;
    const settle = last?.lock.isHeld === true ? this.#client.expectRelease(last) : undefined;
    const left = how();
    // Once more: what the first one came to. One that the election owes is not made up for.
    if (last !== undefined && settle !== undefined && !last.lock.isHeld) {
      void (last.lock as Term<boolean>).resign().then(settle);
    }
    return left;
  }
}
