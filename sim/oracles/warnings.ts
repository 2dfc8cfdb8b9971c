import { getOrAdd } from "./get-or-add.js";
import type { History, ListedEvent, Violate } from "./history.js";
import { NodeLists } from "./node-lists.js";

/** For so long a process may not have asked every node who it is, µs. */
const START_US = 1_000_000;

/**
 * I3: whoever uses other nodes than the clients before it is warned, and nobody else is. It is due as soon as a node
 * votes on whose record a longer or shorter list has stood since before the process began. (A list with as many nodes may
 * be the same by other names, until all of them were seen.) A warning is true if a node of the process has had another
 * list meanwhile.
 *
 * A node that loses its data gets its id back from whoever asks it first, or by a list. Where it has lost it twice since
 * a process began, or where the lists were deleted meanwhile, that process may know another id of it than others do. So
 * may one that began just before the loss: it may not have asked that node yet, nor seen the id in a list.
 */
export function checkWarnings(history: History, violate: Violate): void {
  const lists = new NodeLists(history);
  if (!lists.isChanging) return;
  /** By node: the list on its record, and since when. */
  const listed = new Map<number, ListedEvent>();
  /** By process: when it began. */
  const begunUs = new Map<string, number>();
  /** By node: when it lost its data. */
  const lossesUs = new Map<number, number[]>();
  /** When an operator deleted the list of a node last. */
  let deletedUs = Number.NEGATIVE_INFINITY;
  const warned = new Set<string>();
  /** Processes that have met a list that is not theirs. */
  const differing = new Set<string>();
  const meet = (process: string, node: number): void => {
    const list = lists.of(process);
    const found = listed.get(node);
    if (found === undefined || !list.includes(node)) return;
    const isSame =
      countOf(found) === list.length && (found.nodes ?? []).every((each) => list.includes(each));
    if (!isSame) differing.add(process);
  };
  const mayHaveOldId = (node: number): boolean =>
    [...begunUs].some(([process, sinceUs]) => {
      const losses = lossesUs.get(node)?.filter((atUs) => atUs >= sinceUs) ?? [];
      const isCleared = deletedUs >= sinceUs || losses.some((atUs) => atUs < sinceUs + START_US);
      return lists.of(process).includes(node) && losses.length > (isCleared ? 0 : 1);
    });
  for (const event of history.events) {
    const { kind, atUs } = event;
    if (kind === "process" && event.what === "start") {
      const { process } = event;
      getOrAdd(begunUs, process, () => atUs);
      for (const node of lists.of(process)) meet(process, node);
    } else if (kind === "listed") {
      const { node } = event;
      if (countOf(event) === 0) {
        listed.delete(node);
        if (!lossesUs.get(node)?.includes(atUs)) deletedUs = atUs;
      } else listed.set(node, event);
      for (const process of begunUs.keys()) meet(process, node);
    } else if (kind === "warned") {
      const { process } = event;
      warned.add(process);
      if (differing.has(process) || lists.of(process).some(mayHaveOldId)) continue;
      violate(atUs, `${process} was warned, and uses the same nodes`);
    } else if (kind === "node" && event.what === "forget") {
      getOrAdd(lossesUs, event.node, () => []).push(atUs);
    } else if (kind === "vote" && event.vote !== "fault") {
      const { process, node } = event;
      const found = listed.get(node);
      if (found === undefined || warned.has(process)) continue;
      const isLater = found.atUs >= (begunUs.get(process) ?? 0);
      if (isLater || countOf(found) === lists.of(process).length) continue;
      warned.add(process);
      violate(
        atUs,
        `${process} was not warned that others use ${countOf(found)} nodes, as node ${node} knows`,
      );
    }
  }
}

function countOf({ nodes, count = 0 }: ListedEvent): number {
  return nodes?.length ?? count;
}
