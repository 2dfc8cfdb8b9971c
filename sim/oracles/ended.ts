import { majority, type History, type Violate } from "./history.js";
import { RoundLog } from "./rounds.js";

/**
 * H2: an owner whose lock an operator has ended on a quorum of nodes never proves its lock again: no later extend
 * round is won. It may still act on earlier proof until its validity ends.
 */
export function checkEnded({ settings, events }: History, violate: Violate): void {
  const quorum = majority(settings.nodeCount);
  const log = new RoundLog();
  const endedUs = new Map<string, number>();
  const reported = new Set<string>();
  for (const event of events) {
    log.see(event);
    if (event.kind === "force" && event.isQuorate) {
      for (const ownerId of event.ownerIds) {
        if (!endedUs.has(ownerId)) endedUs.set(ownerId, event.atUs);
      }
    } else if (event.kind === "validity") {
      const { ownerId, name, atUs } = event;
      const untilUs = endedUs.get(ownerId);
      if (untilUs === undefined || reported.has(ownerId)) continue;
      const isWon = log.of(ownerId, "extend").some(({ granted, firstSendUs }) => {
        return granted.size >= quorum && firstSendUs > untilUs;
      });
      if (!isWon) continue;
      reported.add(ownerId);
      const message = `${ownerId} extended ${name}, which had been ended by force`;
      violate(atUs, message);
    }
  }
}
