import type { VoteEvent } from "./history.js";

/** The votes of one attempt (its acquire round and its seals), or of one extend round. */
export class Ballot {
  readonly granted = new Set<number>();
  readonly refused = new Set<number>();
  /** How many had refused when it was given up; votes that came after that decided nothing. */
  refusedWhenLost: number | undefined;
  readonly #quorum: number;
  /** The largest fence of those who granted until there was a quorum. */
  #token = 0;
  readonly #seen = new Set<string>();

  constructor(quorum: number) {
    this.#quorum = quorum;
  }

  get inWords(): string {
    return `${this.granted.size} granted, ${this.refused.size} refused`;
  }

  /** Its rollback goes out. */
  onLost(): void {
    this.refusedWhenLost ??= this.refused.size;
  }

  see({ op, node, vote, fence }: VoteEvent): void {
    const key = `${op} ${node}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    if (vote === "refused") this.refused.add(node);
    else if (vote === "granted" && op !== "seal") this.#onGranted(node, fence);
  }

  /** A grant that comes when the token is fixed and has a larger fence is as good as a refusal. */
  #onGranted(node: number, fence: number): void {
    if (this.granted.size < this.#quorum) {
      this.granted.add(node);
      this.#token = Math.max(this.#token, fence);
    } else if (fence > this.#token) this.refused.add(node);
  }
}
