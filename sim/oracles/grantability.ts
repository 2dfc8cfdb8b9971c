import { getOrAdd } from "./get-or-add.js";
import {
  companyOf,
  majority,
  placeOf,
  type History,
  type KeyEvent,
  type ProcessEvent,
  type Violate,
} from "./history.js";
import { NodeLists } from "./node-lists.js";
import { Preemptions } from "./preemptions.js";

const isGhost = ({ op, after }: KeyEvent): boolean => op === "forget" && after !== undefined;

/** Who holds a name, and whose keys are stored for it, on every node. */
interface NameState {
  /** The current holders, and their company. */
  readonly believers: Map<string, string | undefined>;
  readonly keys: (string | undefined)[];
  readonly members: readonly Map<string, string>[];
}

/**
 * S2: while a client holds the name, fewer than a quorum of nodes have granted it to another owner or would do so, of no
 * list of nodes that a process has. S1
 * follows from it; and where S1 only breaks if a second client happens to ask, S2 breaks at the very event that makes
 * that possible. For a reader, other readers do not count, nor do other holds of the same owner: they may leave at
 * any moment, and their keys then count as free. A client preempted by another process does not count any more.
 *
 * Checked once per instant, after all its events: a hold that ends at the microsecond in which its key expires is not
 * a violation.
 */
export function checkGrantability(history: History, violate: Violate): void {
  const { settings, events } = history;
  const lists = new ListsInUse(history);
  const eligible = Array.from({ length: settings.nodeCount }, () => false);
  const names = new Map<string, NameState>();
  const reported = new Set<string>();
  const touched = new Set<string>();
  /** Nodes and names whose key was restored with an older state: it has no owner, and blocks others. */
  const ghosts = new Set<string>();
  const preemptions = new Preemptions();
  const preempted = new Set<string>();

  const stateOf = (name: string): NameState =>
    getOrAdd(names, name, () => {
      const nodes = Array.from({ length: settings.nodeCount });
      const members = nodes.map(() => new Map<string, string>());
      return { believers: new Map(), keys: nodes.map(() => undefined), members };
    });
  const judge = (name: string, atUs: number): void => {
    const { believers, keys, members } = stateOf(name);
    for (const [ownerId, company] of believers) {
      const open = keys.flatMap((holder, node) => {
        const standing = [...(members[node] ?? [])];
        const isTaken = standing.some(
          ([member, other]) => other !== company && !ghosts.has(`${node} ${name} ${member}`),
        );
        const isFree = (holder === undefined || ghosts.has(`${node} ${name}`)) && !isTaken;
        const isOurs =
          company === undefined
            ? holder === ownerId
            : standing.some(([member]) => member === ownerId);
        const isOpen = !isOurs && (!isFree || eligible[node] === true);
        return isOpen ? [node] : [];
      });
      if (!lists.isQuorum(open) || reported.has(ownerId)) continue;
      reported.add(ownerId);
      const message = `${ownerId} holds ${name}, but nodes ${open.join(", ")} are another's to have`;
      violate(atUs, message);
    }
  };

  events.forEach((event, index) => {
    preemptions.see(event);
    switch (event.kind) {
      case "grant": {
        const company = companyOf(event);
        if (!preempted.has(event.ownerId))
          stateOf(event.name).believers.set(event.ownerId, company);
        touched.add(event.name);
        break;
      }
      case "end":
        stateOf(event.name).believers.delete(event.ownerId);
        break;
      case "key": {
        keep(stateOf(event.name), event);
        const victim = preemptions.preemptedBy(event);
        if (victim !== undefined) stateOf(event.name).believers.delete(victim);
        if (victim !== undefined) preempted.add(victim);
        const where = placeOf(event);
        if (isGhost(event)) ghosts.add(where);
        else ghosts.delete(where);
        touched.add(event.name);
        break;
      }
      case "process":
        if (!lists.see(event)) break;
        for (const name of names.keys()) touched.add(name);
        break;
      case "eligible":
        eligible[event.node] = event.isEligible;
        for (const name of names.keys()) touched.add(name);
        break;
      default:
        break;
    }
    if (touched.size === 0 || events[index + 1]?.atUs === event.atUs) return;
    for (const name of touched) judge(name, event.atUs);
    touched.clear();
  });
}

/** The lists of the processes that there are; if none has a list of its own, that of all nodes. */
class ListsInUse {
  readonly #lists: NodeLists;
  readonly #using = new Map<string, readonly number[]>();

  constructor(history: History) {
    this.#lists = new NodeLists(history);
    // Any process might come that uses all nodes.
    if (!this.#lists.isChanging) this.#using.set("", this.#lists.of(""));
  }

  /** Whether there is a list more now. */
  see({ process, what }: ProcessEvent): boolean {
    if (!this.#lists.isChanging) return false;
    if (what === "start") this.#using.set(process, this.#lists.of(process));
    if (what === "crash" || what === "closed") this.#using.delete(process);
    return what === "start";
  }

  isQuorum(nodes: readonly number[]): boolean {
    return [...this.#using.values()].some((list) => {
      return list.filter((node) => nodes.includes(node)).length >= majority(list.length);
    });
  }
}

function keep({ keys, members }: NameState, event: KeyEvent): void {
  const { node, before, after } = event;
  const company = companyOf(event);
  if (company === undefined) keys[node] = after;
  else if (after !== undefined) members[node]?.set(after, company);
  else if (before !== undefined) members[node]?.delete(before);
}
