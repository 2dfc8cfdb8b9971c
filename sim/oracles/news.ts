import { majority, type GrantEvent, type History, type Violate } from "./history.js";
import { RoundLog } from "./rounds.js";

/** More in two seconds, and a process may have asked as often as it does for messages. */
const HEEDED = 15;
const HEEDED_WITHIN_US = 2_000_000;

interface Holder {
  readonly process: string;
  /** Not before its first renewal. */
  isProven: boolean;
  /** It was told while it was asking: it asks again once that is answered. */
  isDoubted: boolean;
  /** Since when it has to ask. */
  dueUs: number | undefined;
}

/**
 * H4: a holder whose process hears that its lock has ended asks the nodes at that moment, or once it is answered what it
 * was asking.
 */
export function checkNews({ settings, events }: History, violate: Violate): void {
  const quorum = majority(settings.nodeCount);
  const log = new RoundLog();
  const holders = new Map<string, Holder>();
  const due = new Set<string>();
  /** By process. */
  const heardUs = new Map<string, number[]>();

  const begin = ({ process, ownerId, isRenewed }: GrantEvent): void => {
    if (isRenewed !== true) return;
    holders.set(ownerId, { process, isProven: false, isDoubted: false, dueUs: undefined });
  };
  const isAnswered = (ownerId: string): boolean => {
    const last = log.of(ownerId, "extend").at(-1);
    return last !== undefined && last.granted.size >= quorum;
  };
  const mustAsk = (ownerId: string, holder: Holder, atUs: number): void => {
    holder.isDoubted = false;
    holder.dueUs = atUs;
    due.add(ownerId);
  };
  const onNews = (process: string, beginning: string, atUs: number): void => {
    const earlier = (heardUs.get(process) ?? []).filter((at) => at > atUs - HEEDED_WITHIN_US);
    heardUs.set(process, [...earlier, atUs]);
    for (const [ownerId, holder] of holders) {
      if (holder.process !== process || !isLike(ownerId, beginning) || !holder.isProven) continue;
      if (earlier.length >= HEEDED) holder.isDoubted = false;
      else if (isAnswered(ownerId) && holder.dueUs === undefined) mustAsk(ownerId, holder, atUs);
      else if (holder.dueUs === undefined) holder.isDoubted = true;
    }
  };
  const satisfy = (ownerId: string): void => {
    due.delete(ownerId);
    const holder = holders.get(ownerId);
    if (holder === undefined) return;
    holder.isDoubted = false;
    holder.dueUs = undefined;
  };
  const checkDue = (nowUs: number): void => {
    for (const ownerId of due) {
      const sinceUs = holders.get(ownerId)?.dueUs ?? nowUs;
      if (sinceUs >= nowUs) continue;
      satisfy(ownerId);
      violate(sinceUs, `${ownerId} was told that its lock has ended, and did not ask`);
    }
  };

  for (const event of events) {
    if (due.size > 0) checkDue(event.atUs);
    log.see(event);
    if (event.kind === "grant") begin(event);
    else if (event.kind === "news") onNews(event.process, event.beginning, event.atUs);
    else if (event.kind === "send" && event.op === "extend") satisfy(event.ownerId);
    else if (event.kind === "end" || event.kind === "lost") {
      satisfy(event.ownerId);
      holders.delete(event.ownerId);
    } else if (event.kind === "validity") {
      const holder = holders.get(event.ownerId);
      if (holder !== undefined) holder.isProven = true;
      if (holder?.isDoubted === true && isAnswered(event.ownerId))
        mustAsk(event.ownerId, holder, event.atUs);
    }
  }
}

function isLike(ownerId: string, beginning: string): boolean {
  return ownerId.replace(/^\d+~/, "").startsWith(beginning);
}
