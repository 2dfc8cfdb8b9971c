import { getOrAdd } from "./get-or-add.js";
import type { History, Violate } from "./history.js";

const WINDOW_US = 100_000;

/** A dozen calls that poll, each at its shortest pauses, stay well below. */
const MOST_ROUNDS = 60;

/** L5: a waiting process pauses: it does not retry for a name at the speed of the network. */
export function checkPace({ events }: History, violate: Violate): void {
  /** By process and name: when the latest rounds began, and which was the last. */
  const paces = new Map<string, { readonly beginsUs: number[]; round: number }>();
  const reported = new Set<string>();
  for (const event of events) {
    if (event.kind !== "send" || event.op !== "acquire") continue;
    const { process, name, round, atUs } = event;
    const who = `${process} ${name}`;
    const pace = getOrAdd(paces, who, () => ({ beginsUs: [], round: -1 }));
    if (pace.round === round) continue;
    pace.round = round;
    pace.beginsUs.push(atUs);
    while ((pace.beginsUs[0] ?? atUs) < atUs - WINDOW_US) pace.beginsUs.shift();
    if (pace.beginsUs.length <= MOST_ROUNDS || reported.has(who)) continue;
    reported.add(who);
    const message = `${process} asked for ${name} more than ${MOST_ROUNDS} times within 100 ms`;
    violate(atUs, message);
  }
}
