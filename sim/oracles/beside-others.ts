import type { ForeignEvent, HistoryEvent, KeyEvent, VoteEvent } from "./history.js";
import { rootsOf } from "./names.js";

/** Situations that should occur when code that is not ours uses the same names. */
export const BESIDE_OTHERS = [
  "foreignHeld",
  "foreignRenewed",
  /** It was notified that the lock may be free. */
  "foreignWoken",
  /** It was refused while one of ours held the lock. */
  "foreignKeptOut",
  /** One of ours was refused while it held the lock. */
  "keptOutByForeign",
  /** One of ours got a node where its lock had expired. */
  "tookOverForeign",
  /** It took a node from one of ours, against its own rules. */
  "robbedByForeign",
] as const;

type What = (typeof BESIDE_OTHERS)[number];

const PLAINLY: Readonly<Partial<Record<ForeignEvent["what"], What>>> = {
  grant: "foreignHeld",
  renewed: "foreignRenewed",
  woken: "foreignWoken",
};

/** Counts them over a history. */
export class BesideOthers {
  readonly counts = Object.fromEntries(BESIDE_OTHERS.map((what) => [what, 0])) as Record<
    What,
    number
  >;
  readonly #foreigners = new Set<string>();
  /** By owner: the name that is held. */
  readonly #theirs = new Map<string, string>();
  readonly #ours = new Map<string, string>();
  /** By node and name: the last lock there was one of theirs, and expired. */
  readonly #ranOut = new Set<string>();

  see(event: HistoryEvent): void {
    if (event.kind === "foreign") this.#onForeign(event);
    else if (event.kind === "grant") this.#ours.set(event.ownerId, event.name);
    else if (event.kind === "end") this.#ours.delete(event.ownerId);
    else if (event.kind === "vote") this.#onVote(event);
    else if (event.kind === "key") this.#onKey(event);
  }

  #onForeign({ what, ownerId, name }: ForeignEvent): void {
    const plain = PLAINLY[what];
    if (plain !== undefined) this.counts[plain]++;
    if (what === "grant") this.#theirs.set(ownerId, name);
    else if (what === "end") this.#theirs.delete(ownerId);
    else if (what === "refused" && isAmong(this.#ours, name)) this.counts.foreignKeptOut++;
  }

  #onVote({ op, vote, name }: VoteEvent): void {
    if (op !== "acquire" || vote !== "refused" || this.#theirs.size === 0) return;
    if (rootsOf(name).some((root) => isAmong(this.#theirs, root))) this.counts.keptOutByForeign++;
  }

  #onKey({ op, node, name, by, before, after, isTrespass }: KeyEvent): void {
    const where = `${node} ${name}`;
    if (op === "foreign" && by !== undefined) this.#foreigners.add(by);
    if (isTrespass === true && before !== undefined && !this.#foreigners.has(before)) {
      this.counts.robbedByForeign++;
    }
    if (op === "acquire" && this.#ranOut.has(where)) this.counts.tookOverForeign++;
    if (op === "expire" && this.#foreigners.has(before ?? "")) this.#ranOut.add(where);
    else if (after !== undefined) this.#ranOut.delete(where);
  }
}

function isAmong(names: ReadonlyMap<string, string>, name: string): boolean {
  return [...names.values()].includes(name);
}
