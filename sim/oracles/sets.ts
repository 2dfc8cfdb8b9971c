import type { CallEvent, History, Violate } from "./history.js";
import { isSet, rootsOf } from "./names.js";

/**
 * W8: once a quorum of nodes is healthy, a set of names is granted in bounded time, although each of its names is held
 * nearly all the time, and others wait for it. (Beside nobody, this is L2.)
 */
export function checkSets({ events }: History, violate: Violate): void {
  const sets = new Map<number, CallEvent>();
  /** What single names were granted. */
  const beside = new Set<string>();
  let healedUs: number | undefined;
  let isGranted = false;
  for (const event of events) {
    if (event.kind === "phase" && event.what === "heal") healedUs = event.atUs;
    if (healedUs === undefined) continue;
    if (event.kind === "call" && event.what === "acquire") {
      if (isSet(event.name)) sets.set(event.call, event);
    } else if (event.kind === "settle") {
      isGranted ||= event.result === "granted" && sets.has(event.call);
    } else if (event.kind === "grant") beside.add(event.name);
    else if (event.kind === "phase" && event.what === "progress") {
      const waitedMs = (event.atUs - healedUs) / 1_000;
      const isStarved = [...sets.values()].some(({ name, waitMs = 0 }) => {
        return waitMs > waitedMs / 2 && rootsOf(name).every((each) => beside.has(each));
      });
      if (isGranted || !isStarved) return;
      const message = `no set was granted within ${waitedMs.toFixed(0)} ms of healing, beside its names`;
      violate(event.atUs, message);
      return;
    }
  }
}
