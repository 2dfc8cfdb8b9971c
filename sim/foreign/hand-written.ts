import type { ForeignStep } from "../node-keys.js";
import type { StoredKey } from "../stored-key.js";
import { askAll, isQuorum, wallMs, type ForeignLock, type ForeignSite } from "./foreign-lock.js";
import type { Wire } from "./wire.js";

const RELEASE_OWN = `
if redis.call("get", KEYS[1]) == ARGV[1] then
  return redis.call("del", KEYS[1])
end
return 0`;

/**
 * A typical hand-written lock: SETNX with the instant at which it ends. Once that is over, GETSET, and the client
 * that gets the old instant back holds the lock. Time is the caller's own clock. DEL releases a lock that is not
 * over yet. With several nodes, a majority of them counts.
 */
export class HandWrittenLock implements ForeignLock {
  readonly ownerId: string;
  readonly #site: ForeignSite;
  /** The instant at which it ends, as written to the key. */
  #stamp = "";
  #endsAtMs = 0;
  /** The nodes on which it was acquired. */
  #at: readonly Wire[] = [];

  constructor(site: ForeignSite) {
    this.ownerId = site.id;
    this.#site = site;
  }

  async tryLock(): Promise<number | undefined> {
    const { settings, wires } = this.#site;
    this.#endsAtMs = this.#instant(settings.ttlMs);
    this.#stamp = settings.stamps === "ms" ? `${this.#endsAtMs}` : `${this.#endsAtMs / 1_000}`;
    const answers = await askAll(this.#site, (wire) => this.#tryAt(wire));
    this.#at = wires.filter((_, index) => answers[index] === true);
    if (isQuorum(this.#site, this.#at.length)) return this.#endsAtMs;
    await this.unlock();
    return undefined;
  }

  async unlock(): Promise<void> {
    const { session, key } = this.#site;
    const { release } = session;
    const isOver = this.#nowMs() >= this.#endsAtMs;
    if (release === "never" || (release === "own" && isOver)) return;
    const del = ["DEL", key];
    const argv = release === "checked" ? ["EVAL", RELEASE_OWN, 1, key, this.#stamp] : del;
    const by = this.#step(release === "checked" ? undefined : this.#isOthers);
    await Promise.all(this.#at.map((wire) => wire.ask(argv, by).catch(() => {})));
  }

  async #tryAt(wire: Wire): Promise<boolean> {
    const { key } = this.#site;
    const setnx = await wire.ask(["SETNX", key, this.#stamp], this.#step());
    if (setnx === 1) return true;
    const current = await wire.ask(["GET", key], this.#step());
    if (typeof current !== "string" || Number(current) * this.#unitMs >= this.#nowMs())
      return false;
    // A client that was overtaken does not hold the lock, but has overwritten the key anyway.
    const isOvertaken = (before: StoredKey | undefined): boolean => before?.text !== current;
    const before = await wire.ask(["GETSET", key, this.#stamp], this.#step(isOvertaken));
    return before === current;
  }

  readonly #isOthers = (before: StoredKey | undefined): boolean => before?.text !== this.#stamp;

  #step(trespasses?: ForeignStep["trespasses"]): ForeignStep {
    return { kind: "foreign", ownerId: this.ownerId, ...(trespasses && { trespasses }) };
  }

  /** The instant after that time, rounded up by one unit because the clock may be about to tick. */
  #instant(ttlMs: number): number {
    const endsMs = this.#nowMs() + ttlMs;
    const { stamps } = this.#site.settings;
    if (stamps === "fractions") return endsMs;
    return stamps === "ms" ? endsMs + 1 : Math.ceil(endsMs / 1_000) * 1_000 + 1_000;
  }

  /** The time as its code reads it: in whole seconds if it counts in seconds. */
  #nowMs(): number {
    const nowMs = wallMs(this.#site);
    return this.#site.settings.stamps === "seconds" ? Math.floor(nowMs / 1_000) * 1_000 : nowMs;
  }

  get #unitMs(): number {
    return this.#site.settings.stamps === "ms" ? 1 : 1_000;
  }
}
