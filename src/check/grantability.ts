import { majority, type History, type KeyEvent, type Violation } from "./history.js";

const isGhost = ({ op, after }: KeyEvent): boolean => op === "forget" && after !== undefined;

/** Who holds a name, and who stands in its key on every node. */
interface NameState {
  readonly believers: Set<string>;
  readonly keys: (string | undefined)[];
}

/**
 * S2: while somebody believes, fewer than a quorum of nodes have given the name to another owner or
 * would give it to one. S1 follows from it; and where S1 only breaks if a second client happens to
 * come by, S2 breaks at the very event that makes it possible.
 *
 * Looked at once an instant, after all that happened in it: a belief that ends at the microsecond
 * in which its key dies is no violation.
 */
export function checkGrantability({ settings, events }: History): Violation[] {
  const quorum = majority(settings.nodeCount);
  const eligible = Array.from({ length: settings.nodeCount }, () => false);
  const names = new Map<string, NameState>();
  const reported = new Set<string>();
  const violations: Violation[] = [];
  const touched = new Set<string>();
  /** Nodes and names whose key came back with an older state: it is nobody's, and keeps others out. */
  const ghosts = new Set<string>();

  const stateOf = (name: string): NameState => {
    let state = names.get(name);
    if (state === undefined) {
      state = { believers: new Set(), keys: Array.from({ length: settings.nodeCount }) };
      names.set(name, state);
    }
    return state;
  };
  const judge = (name: string, atUs: number): void => {
    const { believers, keys } = stateOf(name);
    for (const ownerId of believers) {
      const open = keys.flatMap((holder, node) => {
        const isFree = holder === undefined || ghosts.has(`${node} ${name}`);
        const isOpen = holder !== ownerId && (!isFree || eligible[node] === true);
        return isOpen ? [node] : [];
      });
      if (open.length < quorum || reported.has(ownerId)) continue;
      reported.add(ownerId);
      const message = `${ownerId} holds ${name}, but nodes ${open.join(", ")} are another's to have`;
      violations.push({ id: "S2", atUs, message });
    }
  };

  events.forEach((event, index) => {
    if (event.kind === "grant") {
      stateOf(event.name).believers.add(event.ownerId);
      touched.add(event.name);
    } else if (event.kind === "end") {
      stateOf(event.name).believers.delete(event.ownerId);
    } else if (event.kind === "key") {
      stateOf(event.name).keys[event.node] = event.after;
      const where = `${event.node} ${event.name}`;
      if (isGhost(event)) ghosts.add(where);
      else ghosts.delete(where);
      touched.add(event.name);
    } else if (event.kind === "eligible") {
      eligible[event.node] = event.isEligible;
      for (const name of names.keys()) touched.add(name);
    }
    if (events[index + 1]?.atUs === event.atUs) return;
    for (const name of touched) judge(name, event.atUs);
    touched.clear();
  });
  return violations;
}
