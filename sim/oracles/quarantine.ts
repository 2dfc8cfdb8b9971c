import { getOrAdd } from "./get-or-add.js";
import { companyOf, type History, type Violate } from "./history.js";
import { NodeLists } from "./node-lists.js";
import { RoundLog } from "./rounds.js";

/**
 * Q1: a node that lost its data never grants a name to a second owner while a hold that depends on the lost data is
 * valid. A hold depends on the nodes that granted the last round that proved it.
 */
export function checkQuarantine(history: History, violate: Violate): void {
  const { events } = history;
  const lists = new NodeLists(history);
  const log = new RoundLog();
  /** By node: when it last lost its data. */
  const forgotUs = new Map<number, number>();
  /** By name: the holders, and their company. */
  const believers = new Map<string, Map<string, string | undefined>>();

  const restsOn = (ownerId: string, node: number): boolean => {
    const proofs = [...log.of(ownerId, "acquire"), ...log.of(ownerId, "extend")];
    const last = proofs.findLast(({ granted, process }) => granted.size >= lists.quorumOf(process));
    const isCounted = last?.granted.has(node) === true;
    return isCounted && last.firstSendUs < (forgotUs.get(node) ?? -1);
  };

  for (const event of events) {
    log.see(event);
    if (event.kind === "node" && event.what === "forget") forgotUs.set(event.node, event.atUs);
    else if (event.kind === "grant") {
      const owners = getOrAdd(believers, event.name, () => new Map());
      owners.set(event.ownerId, companyOf(event));
    } else if (event.kind === "end") believers.get(event.name)?.delete(event.ownerId);
    else if (event.kind === "key" && event.op === "acquire" && event.after !== undefined) {
      for (const [ownerId, company] of believers.get(event.name) ?? []) {
        if (ownerId === event.after || !restsOn(ownerId, event.node)) continue;
        if (company !== undefined && company === companyOf(event)) continue;
        const message = `node ${event.node} forgot ${ownerId} and gave ${event.name} to ${event.after}`;
        violate(event.atUs, message);
      }
    }
  }
}
