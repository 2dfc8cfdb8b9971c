import { getOrAdd } from "./get-or-add.js";
import { type History, type HistoryEvent, type PlaceEvent, type Violate } from "./history.js";
import { Health } from "./health.js";
import { isSet, rootOf } from "./names.js";
import { NodeLists } from "./node-lists.js";
import { Waiting, type Waits } from "./waiting.js";

/** Within which the place of one that waits is written anew wherever all is well: 5 s, and what a connection may take. */
const WRITTEN_US = 7_000_000;

/** What is kept for it has taken its place out. */
const WRITTEN: ReadonlySet<PlaceEvent["what"]> = new Set(["stands", "kept"]);

/** How often it is asked whether all who wait stand in the queues, µs. */
const EVERY_US = 500_000;

/**
 * Of W3: whoever waits, and has come to stand in the queues, goes on standing in those of a quorum as long as
 * a quorum is well and within its reach. (Owners, who may be let in meanwhile, ask by themselves; sets alone may stand
 * in the queue of another of their names.)
 */
export function checkStanding(history: History, violate: Violate): void {
  const check = new Check(new NodeLists(history), violate);
  for (const event of history.events) check.see(event);
}

class Check {
  readonly #lists: NodeLists;
  readonly #violate: Violate;
  readonly #waiting = new Waiting();
  readonly #health = new Health();
  /** By process, name and node: when its place was written. */
  readonly #writtenUs = new Map<string, number>();
  /** By the owner of an acquire that nodes may execute later: its process. */
  readonly #processes = new Map<string | undefined, string>();
  /** By name and node: the process whose key is there. */
  readonly #keyOf = new Map<string, string | undefined>();
  /** By process and name: the locks that it holds itself, and when it held one last. */
  readonly #held = new Map<string, { readonly owners: Set<string>; lastUs: number }>();
  readonly #reported = new Set<Waits>();
  #nextUs = 0;

  constructor(lists: NodeLists, violate: Violate) {
    this.#lists = lists;
    this.#violate = violate;
  }

  see(event: HistoryEvent): void {
    if (event.atUs >= this.#nextUs) this.#ask(event.atUs);
    this.#waiting.see(event);
    this.#health.see(event);
    switch (event.kind) {
      case "send":
        if (event.deferred !== undefined) this.#processes.set(event.deferred, event.process);
        break;
      case "key":
        this.#keyOf.set(`${rootOf(event.name)} ${event.node}`, this.#processes.get(event.after));
        break;
      case "place":
        if (!WRITTEN.has(event.what) || event.op === "forget") break;
        this.#writtenUs.set(`${event.process} ${event.name} ${event.node}`, event.atUs);
        break;
      case "vote":
        if (event.op !== "acquire" || event.vote !== "granted") break;
        // It was free there. The rollback of a permit, or in the layout of Redisson, leaves nobody in the queue.
        this.#writtenUs.set(`${event.process} ${rootOf(event.name)} ${event.node}`, event.atUs);
        break;
      case "grant":
      case "end": {
        const where = `${event.process} ${rootOf(event.name)}`;
        const held = getOrAdd(this.#held, where, () => ({ owners: new Set(), lastUs: 0 }));
        held.lastUs = event.atUs;
        if (event.kind === "grant") held.owners.add(event.ownerId);
        else held.owners.delete(event.ownerId);
        break;
      }
      default:
        break;
    }
  }

  #ask(nowUs: number): void {
    this.#nextUs = nowUs + EVERY_US;
    for (const waits of this.#waiting.all()) {
      if (!this.#reported.has(waits) && this.#isMissing(waits, nowUs)) {
        this.#reported.add(waits);
        const message = `${waits.process} waits for ${waits.name}, and stands in the queues of no quorum any more`;
        this.#violate(nowUs, message);
      }
    }
  }

  #isMissing({ process, name, calls, startedUs }: Waits, nowUs: number): boolean {
    const all = [...calls.values()];
    if (all.some((call) => call.owner !== undefined)) return false;
    if (all.every((call) => isSet(call.name))) return false;
    const held = this.#held.get(`${process} ${name}`);
    if (held !== undefined && held.owners.size > 0) return false;
    const sinceUs = Math.max(startedUs, held?.lastUs ?? 0);
    if (nowUs - sinceUs < WRITTEN_US) return false;
    let [wellCount, standingCount, hasStood] = [0, 0, false];
    for (const node of this.#lists.of(process)) {
      if (nowUs - this.#health.wellSinceUs(process, node) >= WRITTEN_US) wellCount++;
      const writtenUs =
        this.#writtenUs.get(`${process} ${name} ${node}`) ?? Number.NEGATIVE_INFINITY;
      // A deferred acquire that the node executed in vain: nobody else can get the name there.
      const isKeyOwn = this.#keyOf.get(`${rootOf(name)} ${node}`) === process;
      if (isKeyOwn || nowUs - writtenUs < WRITTEN_US) standingCount++;
      hasStood ||= writtenUs >= sinceUs;
    }
    const quorum = this.#lists.quorumOf(process);
    return hasStood && wellCount >= quorum && standingCount < quorum;
  }
}
