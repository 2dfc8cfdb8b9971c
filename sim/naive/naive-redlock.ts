import type { ForeignStep } from "../node-keys.js";
import type { SimProcess } from "../sim-process.js";
import type { Wire } from "../foreign/wire.js";

// Redlock as "Distributed Locks with Redis" on redis.io describes it, and nothing that is not said there: no fencing
// token, no record of what a node has forgotten, and the time by the wall clock.

/** "Remove the key only if it exists and the value stored at the key is exactly the one I expect to be." */
const RELEASE = `if redis.call("get",KEYS[1]) == ARGV[1] then
    return redis.call("del",KEYS[1])
else
    return 0
end`;

/** Of the ttl, and 2 ms on top: as in redlock-rb, the implementation by the author of the description. */
const DRIFT_FACTOR = 0.01;
const DRIFT_FLOOR_MS = 2;

/** "Try again after a random delay": its maximum, ms, as in redlock-rb. */
const RETRY_DELAY_MS = 200;

export interface NaiveRedlockParts {
  readonly process: SimProcess;
  readonly wires: readonly Wire[];
  readonly key: string;
  readonly ttlMs: number;
  /** `onSend` is called for every request, `onVote` for every answer. */
  readonly onSend: (node: number, op: NaiveOperation, value: string, round: number) => void;
  readonly onVote: (vote: NaiveVote) => void;
  readonly nextRound: () => number;
}

export type NaiveOperation = "acquire" | "release";

export interface NaiveVote {
  readonly node: number;
  readonly op: NaiveOperation;
  readonly value: string;
  readonly round: number;
  readonly vote: "granted" | "refused" | "fault";
}

export class NaiveRedlock {
  readonly #parts: NaiveRedlockParts;

  constructor(parts: NaiveRedlockParts) {
    this.#parts = parts;
  }

  /**
   * One attempt on all nodes at the same time, as the description advises ("using multiplexing").
   *
   * @returns until when the lock is valid by the wall clock, ms; undefined if it was not acquired
   */
  async acquire(value: string): Promise<number | undefined> {
    const { ttlMs, wires, key } = this.#parts;
    const startMs = this.#wallMs();
    const command = ["SET", key, value, "NX", "PX", ttlMs];
    const grants = await this.#askAll("acquire", value, command, (answer) => answer === "OK");
    const count = grants.filter(Boolean).length;
    const driftMs = ttlMs * DRIFT_FACTOR + DRIFT_FLOOR_MS;
    const validityMs = ttlMs - (this.#wallMs() - startMs) - driftMs;
    if (count > wires.length / 2 && validityMs > 0) return this.#wallMs() + validityMs;
    await this.release(value);
    return undefined;
  }

  /** The random delay before another attempt. */
  pause(): Promise<void> {
    const { process } = this.#parts;
    return process.sleep(process.entropy.unit() * RETRY_DELAY_MS);
  }

  /** On all nodes, whether or not they have granted it. */
  async release(value: string): Promise<void> {
    const command = ["EVAL", RELEASE, 1, this.#parts.key, value];
    await this.#askAll("release", value, command, (answer) => answer === 1);
  }

  #askAll(
    op: NaiveOperation,
    value: string,
    command: readonly (string | number)[],
    isGrant: (answer: unknown) => boolean,
  ): Promise<boolean[]> {
    const { wires, onSend, onVote, nextRound } = this.#parts;
    const by: ForeignStep = { kind: "foreign", ownerId: value };
    const round = nextRound();
    const ask = async (wire: Wire): Promise<boolean> => {
      const about = { node: wire.node.index, op, value, round };
      onSend(about.node, op, value, round);
      try {
        const isGranted = isGrant(await wire.ask(command, by));
        onVote({ ...about, vote: isGranted ? "granted" : "refused" });
        return isGranted;
      } catch {
        onVote({ ...about, vote: "fault" });
        return false;
      }
    };
    return Promise.all(wires.map(ask));
  }

  #wallMs(): number {
    return Math.floor(this.#parts.process.clock.wallUs() / 1_000);
  }
}
