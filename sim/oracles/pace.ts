import { getOrAdd } from "./get-or-add.js";
import type { CallEvent, History, Violate } from "./history.js";
import { rootOf, rootsOf } from "./names.js";

const WINDOW_US = 100_000;

/** A dozen calls that poll, each at its shortest pauses, stay well below. */
const MOST_ROUNDS = 60;

/** For each of more than a dozen calls: each may begin with a round of its own, or look for its owner by itself. */
const MOST_ROUNDS_EACH = MOST_ROUNDS / 12;

/** L5: a waiting process pauses: it does not retry for a name at the speed of the network. */
export function checkPace({ events }: History, violate: Violate): void {
  const calls: CallEvent[] = [];
  /** By call. */
  const endsUs = new Map<number, number>();
  /** By process and name: when the latest rounds began, and which was the last. */
  const paces = new Map<string, { readonly beginsUs: number[]; round: number }>();
  const reported = new Set<string>();
  for (const event of events) {
    if (event.kind === "call" && event.what === "acquire") calls.push(event);
    else if (event.kind === "settle") endsUs.set(event.call, event.atUs);
    if (event.kind !== "send" || event.op !== "acquire") continue;
    const { process, name, round, atUs } = event;
    const who = `${process} ${name}`;
    const pace = getOrAdd(paces, who, () => ({ beginsUs: [], round: -1 }));
    if (pace.round === round) continue;
    pace.round = round;
    pace.beginsUs.push(atUs);
    const sinceUs = atUs - WINDOW_US;
    while ((pace.beginsUs[0] ?? atUs) < sinceUs) pace.beginsUs.shift();
    if (pace.beginsUs.length <= MOST_ROUNDS || reported.has(who)) continue;
    const own = calls.filter((each) => {
      const isForName = each.process === process && rootsOf(each.name).includes(rootOf(name));
      return isForName && (endsUs.get(each.call) ?? atUs) >= sinceUs;
    });
    const most = Math.max(MOST_ROUNDS, MOST_ROUNDS_EACH * own.length);
    if (pace.beginsUs.length <= most) continue;
    reported.add(who);
    violate(atUs, `${process} asked for ${name} more than ${most} times within 100 ms`);
  }
}
