import type { ForeignStep } from "../node-keys.js";
import type { StoredKey } from "../stored-key.js";
import { askAll, isQuorum, wallMs, type ForeignLock, type ForeignSite } from "./foreign-lock.js";
import type { Wire } from "./wire.js";

const DRIFT_FACTOR = 0.01;

/**
 * The recipe of the servers' documentation, with the commands of Redis 8.4: a random value under the key, which is
 * renewed and deleted only while it is there. Who follows the older half of it deletes the key without looking. With
 * several nodes, a majority of them counts.
 */
export class TokenLock implements ForeignLock {
  readonly #site: ForeignSite;
  #attemptCount = 0;
  #endsAtMs = 0;
  /** The nodes on which it was acquired, or may have been. */
  #at: readonly Wire[] = [];

  constructor(site: ForeignSite) {
    this.#site = site;
  }

  /** The value. Each attempt has one of its own: the release of an earlier one may be executed late. */
  get ownerId(): string {
    return `${this.#site.id}-${this.#attemptCount}`;
  }

  async tryLock(): Promise<number | undefined> {
    this.#attemptCount++;
    const { wires, settings, key } = this.#site;
    const startMs = wallMs(this.#site);
    const argv = ["SET", key, this.ownerId, "NX", "PX", settings.ttlMs];
    const answers = await askAll(this.#site, (wire) => wire.ask(argv, this.#step()));
    this.#at = wires.filter((_, index) => answers[index] !== null);
    if (isQuorum(this.#site, countOf(answers))) return this.#holdFrom(startMs);
    await this.#delete(["DELEX", key, "IFEQ", this.ownerId]);
    return undefined;
  }

  async renew(): Promise<number | undefined> {
    const { settings, key } = this.#site;
    const { ownerId } = this;
    const startMs = wallMs(this.#site);
    const argv = ["SET", key, ownerId, "IFEQ", ownerId, "PX", settings.ttlMs];
    const answers = await askAll(this.#site, (wire) => wire.ask(argv, this.#step()));
    return isQuorum(this.#site, countOf(answers)) ? this.#holdFrom(startMs) : undefined;
  }

  async unlock(): Promise<void> {
    const { session, key } = this.#site;
    const isOver = wallMs(this.#site) >= this.#endsAtMs;
    if (session.release === "never" || (session.release === "own" && isOver)) return;
    if (session.release === "checked") await this.#delete(["DELEX", key, "IFEQ", this.ownerId]);
    else await this.#delete(["DEL", key], (before) => before?.text !== this.ownerId);
  }

  #holdFrom(startMs: number): number {
    const { ttlMs } = this.#site.settings;
    this.#endsAtMs = startMs + ttlMs - (Math.round(DRIFT_FACTOR * ttlMs) + 2);
    return this.#endsAtMs;
  }

  async #delete(
    argv: readonly string[],
    trespasses?: (before: StoredKey | undefined) => boolean,
  ): Promise<void> {
    const by = this.#step(trespasses);
    await Promise.all(this.#at.map((wire) => wire.ask(argv, by).catch(() => {})));
  }

  #step(trespasses?: ForeignStep["trespasses"]): ForeignStep {
    return { kind: "foreign", ownerId: this.ownerId, ...(trespasses && { trespasses }) };
  }
}

function countOf(answers: readonly unknown[]): number {
  return answers.filter((answer) => answer === "OK").length;
}
