import { getOrAdd } from "./get-or-add.js";
import type { EndEvent, GrantEvent, History, Violate } from "./history.js";
import { NodeLists } from "./node-lists.js";

/**
 * H1: a lock that was handed over goes to at most one adopter, only if a quorum of nodes replaced the giver's key
 * with the adopter's, and only if nobody else was granted the name since. That the giver no longer holds by then is
 * S1.
 */
export function checkAdoptions(history: History, violate: Violate): void {
  const { events } = history;
  const lists = new NodeLists(history);
  const given = new Map<string, EndEvent>();
  /** The owner from which an owner takes over. */
  const givers = new Map<string, string>();
  /** By giver and adopter: the nodes that replaced one's key with the other's. */
  const replaced = new Map<string, Set<number>>();
  const adopted = new Set<string>();
  const lastGrants = new Map<string, GrantEvent>();
  for (const event of events) {
    if (event.kind === "end" && event.why === "given") given.set(event.ownerId, event);
    else if (event.kind === "send" && event.previous !== undefined) {
      if (given.has(event.previous)) givers.set(event.ownerId, event.previous);
    } else if (event.kind === "key" && event.op === "acquire") {
      getOrAdd(replaced, `${event.before} ${event.after}`, () => new Set()).add(event.node);
    } else if (event.kind === "grant") {
      const { process, ownerId, name, atUs } = event;
      const say = (how: string): void => {
        violate(atUs, `${ownerId} adopted ${name} ${how}`);
      };
      const giver = givers.get(ownerId);
      const since = lastGrants.get(name);
      lastGrants.set(name, event);
      if (giver === undefined) continue;
      const count = replaced.get(`${giver} ${ownerId}`)?.size ?? 0;
      const gaveAtUs = given.get(giver)?.atUs ?? 0;
      if (adopted.has(giver)) say(`after another had adopted it from ${giver}`);
      else if (count < lists.quorumOf(process))
        say(`though only ${count} nodes still had the key of ${giver}`);
      else if (since !== undefined && since.atUs > gaveAtUs) {
        say(`after ${since.ownerId} had been granted it, since ${giver} gave it away`);
      }
      adopted.add(giver);
    }
  }
}
