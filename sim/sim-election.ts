import type { Election, Term } from "../src/api/election.js";
import type { LockManager } from "../src/manager/lock-manager.js";
import type { SimLock } from "./sim-lock.js";
import type { SimProcess } from "./sim-process.js";

/** The service whose calls are recorded. */
interface Candidate {
  readonly locks: LockManager;
  readonly process: SimProcess;
  expectTerm(name: string): (result: string) => void;
  expectRelease(had: SimLock): (result: string) => void;
}

interface Candidature {
  /** It gives up after this, ms. */
  readonly abortAfterMs: number | undefined;
  /** A term as histories know it. */
  readonly had: (term: Term) => SimLock;
  readonly onOver: () => void;
}

/** A candidacy of a service. The requests for its terms and their ends are recorded. */
export class SimElection {
  readonly #client: Candidate;
  readonly #candidature: Candidature;
  readonly #election: Election;
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

  /** A service that is done with a term relies on the election to resign. */
  #leave<T>(how: () => Promise<T>): Promise<T> {
    const last = this.#last;
    const settle = last?.lock.isHeld === true ? this.#client.expectRelease(last) : undefined;
    const left = how();
    // A second call returns the result of the first. A release that the election failed to make stays missing.
    if (last !== undefined && settle !== undefined && !last.lock.isHeld) {
      void (last.lock as Term).resign().then(settle);
    }
    return left;
  }
}
