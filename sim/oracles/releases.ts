import { getOrAdd } from "./get-or-add.js";
import { longestMinHoldUs, type CallEvent, type History, type Violate } from "./history.js";
import { NodeLists } from "./node-lists.js";
import { Preemptions } from "./preemptions.js";

/**
 * R1: a release tells the truth, also the second one, the late one, and the one after another has taken over:
 * `released` only if it was passed on, or a quorum of nodes deleted the key, gave it to an adopter, or keep it for the
 * rest of its minimum hold (of several names each of them); `expired` only if none did so for a lock that was still
 * believed in, and that no operator ended by force. That it never touches another's key is S4.
 */
export function checkReleases(history: History, violate: Violate): void {
  const { settings, events } = history;
  const lists = new NodeLists(history);
  /** By owner and name: the nodes that deleted its key; one that went back to an older state may do so twice. */
  const deletions = new Map<string, Set<number>>();
  /** By owner and name: the nodes on which its key has expired. */
  const expiries = new Map<string, Set<number>>();
  /** By owner and name: the nodes that have released it, they say. */
  const said = new Map<string, Set<number>>();
  /** By owner and name: the nodes that have its key, and when it ends there. */
  const keys = new Map<string, Map<number, number>>();
  /** By owner, with drift; of those that have one. */
  const minHoldsUs = new Map<string, number>();
  const calls = new Map<number, CallEvent>();
  /** Who believed up to the release. */
  const believed = new Set<string>();
  const answers = new Map<string, string>();
  /** By owner and token: its process went on with it. */
  const passedOn = new Set<string>();
  const preemptions = new Preemptions();
  for (const event of events) {
    preemptions.see(event);
    if (event.kind === "key") {
      const { before, after, by, op, node, name, deadUs } = event;
      if (before !== undefined) keys.get(`${before} ${name}`)?.delete(node);
      if (after !== undefined)
        getOrAdd(keys, `${after} ${name}`, () => new Map()).set(node, deadUs);
      if (before !== undefined && op === "expire")
        getOrAdd(expiries, `${before} ${name}`, () => new Set()).add(node);
      // Whoever takes back a key of its own has failed to take it: its node could not draw the fence.
      const isLetGo = op === "release" || (op === "acquire" && after !== before && by !== before);
      if (!isLetGo || before === undefined || preemptions.isPreempting(event)) continue;
      getOrAdd(deletions, `${before} ${name}`, () => new Set()).add(node);
    } else if (event.kind === "grant") {
      const keptUs = longestMinHoldUs(event, settings);
      if (keptUs > 0) minHoldsUs.set(event.ownerId, keptUs);
    } else if (event.kind === "vote") {
      if (event.op === "release" && event.vote === "granted")
        getOrAdd(said, `${event.ownerId} ${event.name}`, () => new Set()).add(event.node);
    } else if (event.kind === "passed") {
      passedOn.add(`${event.ownerId} ${(event.token ?? 0) - 1}`);
    } else if (event.kind === "end") {
      if (event.why === "released") believed.add(event.ownerId);
    } else if (event.kind === "call") {
      if (event.what === "release") calls.set(event.call, event);
    } else if (event.kind === "settle") {
      const { ownerId, name = "", token } = calls.get(event.call) ?? {};
      if (ownerId === undefined) continue;
      const { result, atUs, process } = event;
      if (result === "released" && passedOn.has(`${ownerId} ${token}`)) continue;
      const before = answers.get(ownerId);
      answers.set(ownerId, result);
      // What it says is that of the first: a key that was kept for its minimum hold has expired by then.
      if (before === result) continue;
      if (before !== undefined) {
        violate(atUs, `${ownerId} was released twice, first ${before}, then ${result}`);
      }
      const quorum = lists.quorumOf(process);
      const deletedCount = Math.min(
        ...name.split(", ").map((each) => deletions.get(`${ownerId} ${each}`)?.size ?? 0),
      );
      const soonUs = atUs + (minHoldsUs.get(ownerId) ?? Number.NEGATIVE_INFINITY);
      const left = [...(keys.get(`${ownerId} ${name}`) ?? [])];
      const deletedOn = deletions.get(`${ownerId} ${name}`);
      const keptOn = left.filter(([node, endsUs]) => endsUs <= soonUs && !deletedOn?.has(node));
      // What was to end within the minimum hold was left to that, and may have ended before all had answered.
      const saidOn = minHoldsUs.has(ownerId) ? said.get(`${ownerId} ${name}`) : undefined;
      const overOn = [...(saidOn ?? [])].filter(
        (node) => expiries.get(`${ownerId} ${name}`)?.has(node) && !deletedOn?.has(node),
      );
      if (result === "released" && deletedCount + keptOn.length + overOn.length < quorum) {
        const message = `${ownerId} was released, they say, but only ${deletedCount} nodes deleted it`;
        violate(atUs, message);
      }
      const isOverToo = believed.has(ownerId) && !preemptions.isEnded(ownerId);
      if (result === "expired" && isOverToo && deletedCount >= quorum) {
        const message = `${ownerId} had expired, they say, but ${deletedCount} nodes deleted it`;
        violate(atUs, message);
      }
    }
  }
}
