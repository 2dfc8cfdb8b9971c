import { getOrAdd } from "./get-or-add.js";
import type { EndEvent, GrantEvent, History, HistoryEvent, Violate } from "./history.js";
import { isPermit, rootOf } from "./names.js";
import { Waiting } from "./waiting.js";

/** No permit is reserved for longer, µs. */
const TURN_US = 101_000;

/** A semaphore on all nodes. */
interface Known {
  /** By name of a permit: its owners, on all nodes. */
  readonly holders: Map<string, Set<string>>;
  /** By process: what it has asked for, or an attempt of it has taken, last; of nobody whatever else has happened. */
  readonly changedUs: Map<string | undefined, number>;
}

/**
 * K3: the permits of a lock have the smallest numbers that are free. Judged where nothing else happens to the semaphore
 * from the first question of a call to its grant: where others ask at the same moment, the numbers may be larger. A
 * process that was suspended still counts as its own what has expired meanwhile, if it notices that after it has asked.
 */
export function checkPermitNumbers({ events }: History, violate: Violate): void {
  const semaphores = new Map<string, Known>();
  const waiting = new Waiting();
  /** By owner: whose attempt it is. */
  const processes = new Map<string, string>();
  /** By process: when a node failed to answer it last. */
  const troubledUs = new Map<string, number>();
  /** By owner: the numbers of a grant, which is written down permit by permit. */
  const granted = new Map<string, { readonly first: GrantEvent; readonly numbers: number[] }>();
  /** Permits that have expired. */
  const expired: EndEvent[] = [];
  /** By owner: when its process noticed that, µs. */
  const noticedUs = new Map<string, number>();
  const of = (name: string): Known =>
    getOrAdd(semaphores, rootOf(name), () => ({ holders: new Map(), changedUs: new Map() }));

  const judge = (first: GrantEvent, numbers: readonly number[]): void => {
    const { process, ownerId, name, atUs } = first;
    const root = rootOf(name);
    const calls = waiting.calls(process, root);
    const [call] = calls;
    if (calls.length !== 1 || call === undefined) return;
    const { holders, changedUs } = of(name);
    const sinceUs = call.atUs - TURN_US;
    if ((troubledUs.get(process) ?? -Infinity) >= sinceUs) return;
    if ([...changedUs].some(([by, changeUs]) => by !== process && changeUs >= sinceUs)) return;
    const own = expired.filter(
      (each) => each.process === process && (noticedUs.get(each.ownerId) ?? Infinity) >= call.atUs,
    );
    for (let number = 0; number < Math.max(...numbers); number++) {
      const permit = `${root}#${number}`;
      if (numbers.includes(number) || (holders.get(permit)?.size ?? 0) > 0) continue;
      if (own.some((each) => each.name === permit)) continue;
      violate(atUs, `${ownerId} has ${root}#${numbers.join(",")}, although ${number} is free`);
      return;
    }
  };
  const finish = (): void => {
    for (const { first, numbers } of granted.values()) judge(first, numbers);
    granted.clear();
  };
  const see = (event: HistoryEvent): void => {
    switch (event.kind) {
      case "key": {
        const { node, name, before, after, atUs, op } = event;
        const { holders, changedUs } = of(name);
        const owners = getOrAdd(holders, name, () => new Set<string>());
        if (before !== undefined) owners.delete(`${node} ${before}`);
        if (after !== undefined) owners.add(`${node} ${after}`);
        changedUs.set(op === "acquire" ? processes.get(after ?? "") : undefined, atUs);
        break;
      }
      case "send": {
        const { op, name, ownerId, process, atUs } = event;
        if (op === "acquire") processes.set(ownerId, process);
        of(name).changedUs.set(op === "acquire" ? process : undefined, atUs);
        break;
      }
      case "turn":
      case "size":
        of(event.name).changedUs.set(undefined, event.atUs);
        break;
      case "vote":
        if (event.vote === "fault") troubledUs.set(event.process, event.atUs);
        break;
      case "grant": {
        if (!isPermit(event.name)) return;
        const number = Number(event.name.slice(event.name.indexOf("#") + 1));
        getOrAdd(granted, event.ownerId, () => ({ first: event, numbers: [] })).numbers.push(
          number,
        );
        break;
      }
      case "end":
        if (event.why === "expired" && isPermit(event.name)) expired.push(event);
        break;
      case "lost":
        noticedUs.set(event.ownerId, event.atUs);
        break;
      default:
        break;
    }
  };
  for (const event of events) {
    const [open] = granted.values();
    if (open !== undefined && event.kind !== "grant") finish();
    see(event);
    waiting.see(event);
  }
  finish();
}
