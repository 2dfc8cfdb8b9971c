import type { Election, Term } from "../src/face/election.js";
import type { SimClient } from "./sim-client.js";
import type { SimLock } from "./sim-lock.js";

interface Standing {
  /** It gives up after this, ms. */
  readonly abortAfterMs: number | undefined;
  /** A term as a history knows it. */
  readonly had: (term: Term<boolean>) => SimLock;
  readonly onOver: () => void;
}

/** One election in which a service stands: its terms are asked for, and left, where that is written down. */
export class SimElection {
  readonly #client: SimClient;
  readonly #standing: Standing;
  readonly #election: Election<boolean>;
  readonly #controller = new AbortController();
  #last: SimLock | undefined;

  constructor(client: SimClient, name: string, standing: Standing) {
    this.#client = client;
    this.#standing = standing;
    this.#election = client.locks.elect(name, { signal: this.#controller.signal });
    const { abortAfterMs } = standing;
    if (abortAfterMs !== undefined) void client.process.sleep(abortAfterMs).then(() => this.end());
  }

  /** The next term, or undefined if there are no more. */
  async next(): Promise<SimLock | undefined> {
    const settle = this.#client.expectTerm(this.#election.name);
    try {
      const { value } = await this.#leave(() => this.#election.next());
      settle(value === undefined ? "aborted" : "granted");
      this.#last = value && this.#standing.had(value);
      return this.#last;
    } catch {
      settle("aborted");
      return undefined;
    }
  }

  async end(): Promise<void> {
    this.#standing.onOver();
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
