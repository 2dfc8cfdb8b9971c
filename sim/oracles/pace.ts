import { getOrAdd } from "./get-or-add.js";
import type { History, HistoryEvent, Violate } from "./history.js";
import { rootOf, rootsOf } from "./names.js";

const WINDOW_US = 100_000;

/** A dozen calls that poll, each at its shortest pauses, stay well below. */
const MOST_ROUNDS = 60;

/** For each of more than a dozen calls: each may begin with a round of its own, or look for its owner by itself. */
const MOST_ROUNDS_EACH = MOST_ROUNDS / 12;

/** L5: a waiting process pauses: it does not retry for a name at the speed of the network. */
export function checkPace({ events }: History, violate: Violate): void {
  const calls = new Calls();
  /** By process and name: when the latest rounds began, and which was the last. */
  const paces = new Map<string, { readonly beginsUs: number[]; round: number }>();
  const reported = new Set<string>();
  for (const event of events) {
    calls.see(event);
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
    const callCount = calls.countSince(sinceUs, process, name);
    const most = Math.max(MOST_ROUNDS, MOST_ROUNDS_EACH * callCount);
    if (pace.beginsUs.length <= most) continue;
    reported.add(who);
    violate(atUs, `${process} asked for ${name} more than ${most} times within 100 ms`);
  }
}

/** The acquires of each process. */
class Calls {
  /** By process and name, and by call: when it ended; infinite if it has not. */
  readonly #endsUs = new Map<string, Map<number, number>>();

  see(event: HistoryEvent): void {
    const { atUs } = event;
    if (event.kind === "call" && event.what === "acquire") {
      for (const root of rootsOf(event.name)) {
        const endsUs = getOrAdd(this.#endsUs, `${event.process} ${root}`, () => new Map());
        endsUs.set(event.call, Number.POSITIVE_INFINITY);
      }
    } else if (event.kind === "settle") {
      for (const endsUs of this.#endsUs.values()) {
        if (endsUs.has(event.call)) endsUs.set(event.call, atUs);
      }
    }
  }

  /** Those that had not ended by then. */
  countSince(sinceUs: number, process: string, name: string): number {
    const endsUs = this.#endsUs.get(`${process} ${rootOf(name)}`) ?? new Map<number, number>();
    return [...endsUs.values()].filter((endUs) => endUs >= sinceUs).length;
  }
}
