import { getOrAdd } from "./get-or-add.js";
import { majority, type History, type KeyEvent, type Violate } from "./history.js";
import { RoundLog } from "./rounds.js";

/**
 * H3: from whom foreign code has taken a quorum of nodes proves its lock never again: no extend round is won
 * that began after, unless its key was healed on some of them by then.
 */
export function checkRobbed({ settings, events }: History, violate: Violate): void {
  const quorum = majority(settings.nodeCount);
  const log = new RoundLog();
  /** By owner: on which nodes its key was taken, and is gone. */
  const taken = new Map<string, Set<number>>();
  /** By owner: since when it has lost a quorum of nodes. */
  const robbedUs = new Map<string, number>();
  const reported = new Set<string>();
  const see = ({ node, before, after, isTrespass, atUs }: KeyEvent): void => {
    if (isTrespass === true && before !== undefined) {
      const nodes = getOrAdd(taken, before, () => new Set()).add(node);
      if (nodes.size >= quorum && !robbedUs.has(before)) robbedUs.set(before, atUs);
    } else if (after !== undefined && taken.get(after)?.delete(node) === true) {
      robbedUs.delete(after);
    }
  };
  for (const event of events) {
    log.see(event);
    if (event.kind === "key") see(event);
    if (event.kind !== "validity") continue;
    const { ownerId, name, atUs } = event;
    const sinceUs = robbedUs.get(ownerId);
    if (sinceUs === undefined || reported.has(ownerId)) continue;
    const isWon = log.of(ownerId, "extend").some(({ granted, firstSendUs }) => {
      return granted.size >= quorum && firstSendUs > sinceUs;
    });
    if (!isWon) continue;
    reported.add(ownerId);
    const message = `${ownerId} extended ${name}, which foreign code had taken from it`;
    violate(atUs, message);
  }
}
