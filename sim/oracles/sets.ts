import { endPhaseOf, starvedIn } from "./end-phase.js";
import type { CallEvent, History, Violate } from "./history.js";
import { isSet, rootsOf } from "./names.js";

/**
 * W8: once a quorum of nodes is healthy, each set of names is granted in bounded time, although each of its names is held
 * nearly all the time, and others wait for it. (Beside nobody, this is L2.)
 */
export function checkSets(history: History, violate: Violate): void {
  const end = endPhaseOf(history);
  if (end === undefined) return;
  const beside = new Set(end.events.flatMap((event) => (event.kind === "grant" ? event.name : [])));
  const isJudged = ({ name }: CallEvent): boolean =>
    isSet(name) && rootsOf(name).every((each) => beside.has(each));
  for (const { name } of starvedIn(end, isJudged)) {
    const message = `the set ${name} was not granted within ${end.forMs.toFixed(0)} ms of healing, beside its names`;
    violate(end.untilUs, message);
  }
}
