import { getOrAdd } from "./get-or-add.js";
import {
  companyOf,
  type CallEvent,
  type History,
  type HistoryEvent,
  type KeyEvent,
  type SettleEvent,
  type Violate,
} from "./history.js";
import { isPermit, rootsOf } from "./names.js";
import { NodeLists } from "./node-lists.js";

/** Who is no single client: readers, the locks of one named owner, a reservation, code that is not ours. */
const SOMEBODY = "somebody";

/** A reservation lasts for a tenth of a second at most, and clocks differ. */
const RESERVED_US = 200_000;

/** So many contend, and one of them gets the name in any case. */
const MOST_CONTENDERS = 8;

/** So many round trips fit into a node deadline where that is promised. */
const MIN_ROUND_TRIPS = 20;

/** An acquire that has not settled, and who was seen to have nodes meanwhile. */
interface OpenCall {
  readonly call: CallEvent;
  readonly names: readonly string[];
  /** By owner. */
  readonly nodesOf: Map<string, Set<number>>;
  /** Anybody was granted one of its names, or held it at the beginning. */
  hasHolder: boolean;
  /** How many asked for one of its names meanwhile, this one among them. */
  contenderCount: number;
}

/**
 * L6: a split is not contention. Nobody is told that a name is held (`null`) unless somebody had it, or was reserved it,
 * on a quorum of nodes during the call: not all at one instant, as nodes are not asked at one instant. And where nothing
 * goes wrong, and an answer takes a twentieth of the node deadline, one of up to eight that ask at one moment gets the
 * name.
 */
export function checkSplits(history: History, violate: Violate): void {
  const splits = new Splits(new NodeLists(history));
  for (const event of history.events) {
    const message = splits.see(event);
    if (message !== undefined) violate(event.atUs, message);
  }
}

class Splits {
  readonly #lists: NodeLists;
  readonly #open = new Map<number, OpenCall>();
  /** By name and node: who has keys there. */
  readonly #standing = new Map<string, Map<number, Set<string>>>();
  /** By name and node: when it was reserved last. */
  readonly #reservedUs = new Map<string, Map<number, number>>();
  /** Names whose keys code that is not ours has entered against its own rules: whose lock it was may still stand there. */
  readonly #mixedUp = new Set<string>();
  /** Who holds which name in its own eyes. */
  readonly #held = new Map<string, string>();
  /** By round: how long its answers took, and when it began. */
  readonly #sentUs = new Map<number, number>();
  #answerCount = 0;
  #answerUs = 0;
  /** Something has gone wrong: keys may be left over, and messages late. */
  #isDisturbed = false;

  constructor(lists: NodeLists) {
    this.#lists = lists;
  }

  /** What is wrong with the event, if anything is. */
  see(event: HistoryEvent): string | undefined {
    switch (event.kind) {
      case "call":
        if (event.what === "acquire") this.#onCall(event);
        break;
      case "key":
        this.#onKey(event);
        break;
      case "place":
        if (event.what === "kept") this.#onReserved(event.name, event.node, event.atUs);
        break;
      case "send":
        if (!this.#sentUs.has(event.round)) this.#sentUs.set(event.round, event.atUs);
        break;
      case "vote":
        if (event.vote === "fault") this.#isDisturbed = true;
        this.#answerCount++;
        this.#answerUs += event.atUs - (this.#sentUs.get(event.round) ?? event.atUs);
        break;
      case "grant":
        for (const name of rootsOf(event.name)) this.#onHolder(name);
        this.#held.set(event.ownerId, event.name);
        break;
      case "end":
        this.#held.delete(event.ownerId);
        break;
      case "node":
      case "link":
        this.#isDisturbed = true;
        break;
      case "process":
        if (event.what !== "start") this.#isDisturbed = true;
        break;
      case "settle":
        return this.#onSettle(event);
      default:
        break;
    }
    return undefined;
  }

  #onCall(call: CallEvent): void {
    const names = rootsOf(call.name);
    const held = [...this.#held.values()].flatMap(rootsOf);
    const open: OpenCall = {
      ...{ call, names, nodesOf: new Map(), contenderCount: 1 },
      hasHolder: held.some((name) => names.includes(name)),
    };
    for (const name of names) {
      for (const [node, owners] of this.#standing.get(name) ?? []) {
        for (const owner of owners) getOrAdd(open.nodesOf, owner, () => new Set()).add(node);
      }
      for (const [node, atUs] of this.#reservedUs.get(name) ?? []) {
        if (call.atUs - atUs > RESERVED_US) continue;
        getOrAdd(open.nodesOf, SOMEBODY, () => new Set()).add(node);
      }
    }
    for (const other of this.#open.values()) {
      if (!other.names.some((name) => names.includes(name))) continue;
      other.contenderCount++;
      open.contenderCount++;
    }
    this.#open.set(call.call, open);
  }

  #onKey(event: KeyEvent): void {
    const { name, node, before, after, op } = event;
    for (const root of rootsOf(name)) {
      if (event.isTrespass === true) this.#mixedUp.add(root);
      const owners = getOrAdd(
        getOrAdd(this.#standing, root, () => new Map<number, Set<string>>()),
        node,
        () => new Set<string>(),
      );
      // Those who share it come and go one by one, of a permit others are held beside it, and code that is not ours
      // enters where others are.
      const isOneOfMany = companyOf(event) !== undefined || isPermit(name) || op === "foreign";
      if (!isOneOfMany) owners.clear();
      else if (before !== undefined) owners.delete(before);
      if (after === undefined) {
        if (isOneOfMany && owners.size === 1) owners.delete(SOMEBODY);
        continue;
      }
      const told = isOneOfMany ? [after, SOMEBODY] : [after];
      for (const owner of told) {
        owners.add(owner);
        this.#onSeen(root, owner, node);
      }
    }
  }

  #onReserved(name: string, node: number, atUs: number): void {
    for (const root of rootsOf(name)) {
      getOrAdd(this.#reservedUs, root, () => new Map()).set(node, atUs);
      this.#onSeen(root, SOMEBODY, node);
    }
  }

  #onSeen(name: string, owner: string, node: number): void {
    for (const { names, nodesOf } of this.#open.values()) {
      if (names.includes(name)) getOrAdd(nodesOf, owner, () => new Set()).add(node);
    }
  }

  #onHolder(name: string): void {
    for (const open of this.#open.values()) if (open.names.includes(name)) open.hasHolder = true;
  }

  #onSettle({ call: number, result, process, atUs }: SettleEvent): string | undefined {
    const open = this.#open.get(number);
    this.#open.delete(number);
    // Those that it left may have been rolled back, and are no contenders any more; or not.
    if (result === "aborted") this.#isDisturbed = true;
    if (open === undefined || !this.#isJudged(open)) return undefined;
    const most = Math.max(0, ...[...open.nodesOf.values()].map((nodes) => nodes.size));
    if (result === "refused" && !open.hasHolder && most < this.#lists.quorumOf(process)) {
      return `acquire of ${open.call.name} by ${process} was told that it is held: somebody had ${most} nodes`;
    }
    const isNobodys = result === "split" && !open.hasHolder && this.#isUndisturbed(open, atUs);
    return isNobodys
      ? `none of ${open.contenderCount} that asked for ${open.call.name} at one moment got it`
      : undefined;
  }

  /** Of a permit others are free; others learn how those ahead of them in their process fare. */
  #isJudged({ call, names }: OpenCall): boolean {
    const isOwn = call.via === undefined && call.owner === undefined && call.isStealing !== true;
    if (!isOwn || call.isFair === true || isPermit(call.name)) return false;
    if (names.some((name) => this.#mixedUp.has(name))) return false;
    // It may have given way to a request of its process that steals the name.
    return ![...this.#open.values()].some(({ call: thief, names: stolen }) => {
      const isThief = thief.isStealing === true && thief.process === call.process;
      return isThief && stolen.some((name) => names.includes(name));
    });
  }

  #isUndisturbed({ call, contenderCount }: OpenCall, atUs: number): boolean {
    const nodeTimeoutMs = (call.withinMs - (call.waitMs ?? 0)) / 2;
    // It waited in the nodes' queues for less time than contenders have, and another may still get the name.
    const isCutShort = (call.waitMs ?? 0) > 0 && atUs - call.atUs < nodeTimeoutMs * 1_000;
    if (isCutShort) return false;
    const meanMs = this.#answerUs / Math.max(1, this.#answerCount) / 1_000;
    const isFast = MIN_ROUND_TRIPS * meanMs <= nodeTimeoutMs;
    return !this.#isDisturbed && isFast && contenderCount <= MOST_CONTENDERS;
  }
}
