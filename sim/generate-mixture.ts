import { keptMs } from "../src/protocol/lease-times.js";
import { steps } from "./generate-extensions.js";
import { givenAway } from "./generate-kinds.js";
import { withRequestOptions } from "./generate-requests.js";
import { hashText, seededRandom, shuffled, type Random } from "./random.js";
import type { Scenario, Session } from "./scenario.js";

const NAMES = ["a", "b", "c"];

/**
 * The same scenario with locks of every kind on the same two or three names, some of which are stolen or ended by
 * force. Names are kept closed after a loss, requests have options of their own, and node clocks are stepped within the
 * margin.
 */
export function withMixture(scenario: Scenario): Scenario {
  const random = seededRandom(hashText(scenario.seed, "mixture"));
  const { options, clients, faults } = scenario;
  const names = NAMES.slice(0, random.oneOf([2, 2, 3]));
  const permits = random.between(1, 4);
  const isReading = random.chance(75);
  const workload = scenario.workload.flatMap((session) => {
    const { atMs } = session;
    const others = Array.from({ length: random.between(0, 2) }, (): Session => {
      return { ...session, atMs: atMs + random.below(200), client: random.below(clients.length) };
    });
    return [session, ...others].map((each): Session => {
      const [name = "", ...also] = shuffled(random, names.length).map((at) => names[at] as string);
      const kind = kindOf(random, each, also, permits, clients.length);
      const isOut = !isReading && kind.mode === "shared";
      return { ...each, name, isRequest: undefined, ...(isOut ? {} : kind) };
    });
  });
  const { driftFactor, maxTtlMs, clockStepMs = 0 } = options;
  const lockDelayMs = random.chance(30) ? random.between(1, 500) : 0;
  const made = withRequestOptions({
    ...scenario,
    workload: workload
      .toSorted((a, b) => a.atMs - b.atMs)
      .map((session, index) => {
        // After healing, clients contend for it, beside readers if there are any: then a set has no promise.
        return index === 0 && isReading ? { ...session, also: undefined } : session;
      }),
  });
  // A minimum hold has no margin for clocks that step.
  const stepped = steps(random, scenario, clockStepMs);
  return {
    ...made,
    // No key may live longer than that.
    options: {
      ...options,
      lockDelayMs,
      maxTtlMs: keptMs({ ttlMs: maxTtlMs, driftFactor, lockDelayMs }),
    },
    workload: stepped.length === 0 ? made.workload : made.workload.map(withoutMinHold),
    faults: [...faults, ...stepped].toSorted((a, b) => a.atMs - b.atMs),
  };
}

function withoutMinHold(session: Session): Session {
  const { options } = session;
  return options === undefined ? session : { ...session, options: { ...options, minHoldMs: 0 } };
}

function kindOf(
  random: Random,
  session: Session,
  others: readonly string[],
  permits: number,
  clientCount: number,
): Partial<Session> {
  const isRequest = random.chance(35) ? true : undefined;
  const kinds: readonly (readonly [number, () => Partial<Session>])[] = [
    [18, () => ({ isRequest })],
    [18, () => ({ isRequest, also: others.slice(0, random.between(1, others.length)) })],
    [14, () => ({ isRequest, mode: "shared" })],
    [9, () => ({ isRequest, permits })],
    [9, () => ({ isRequest, permits, takes: random.between(1, permits) })],
    [9, () => ({ owner: random.oneOf(["job", "task"]), isNested: random.chance(40) })],
    [8, () => ({ steal: true })],
    [5, () => ({ isForce: true })],
    [4, () => ({ joinCount: random.between(1, 3) })],
    [3, () => ({ termCount: random.between(1, 4) })],
    [3, () => givenAway(random, session, clientCount)],
  ];
  let left = random.below(100);
  return kinds.find(([percent]) => (left -= percent) < 0)?.[1]() ?? {};
}
