import { hashText, seededRandom, type Random } from "./random.js";
import type { DropInUse, LockSettings, Scenario, Session } from "./scenario.js";

/** Percentage of sessions that use redlock's interface. */
const SHARES: Readonly<Partial<Record<string, number>>> = { "drop-in": 75, "redlock-beside": 40 };

/** Resources of locks that overlap. */
const NAMES = ["a", "b", "c"];

/** The longest a session holds its lock, ms: nothing ends the routine of `using` from outside. */
const LONGEST_HOLD_MS = 2_500;

/** The same scenario with services that use redlock's interface, if the profile has them. */
export function withDropIn(scenario: Scenario): Scenario {
  const { seed, profile, workload } = scenario;
  const share = SHARES[profile];
  if (share === undefined) return scenario;
  const random = seededRandom(hashText(seed, `drop-in ${profile}`));
  const made = profile === "drop-in" && random.chance(40) ? withShortRecords(scenario) : scenario;
  const { options } = made;
  const sessions = workload.map((session) =>
    random.chance(share) ? asDropIn(random, session, options) : session,
  );
  return { ...made, workload: sessions };
}

/** Makes some locks longer than the longest that the nodes have on record. */
function withShortRecords(scenario: Scenario): Scenario {
  const { options, clients, nodes } = scenario;
  const maxTtlMs = Math.max(
    options.ttlMs,
    ...clients.map((client) => client.options?.ttlMs ?? options.ttlMs),
  );
  if (maxTtlMs === options.maxTtlMs) return scenario;
  const part = maxTtlMs / options.maxTtlMs;
  return {
    ...scenario,
    clients: clients.map((client) => ({ ...client, options: { ...client.options, maxTtlMs } })),
    // A smaller maxTtlMs narrows the range around a node's clock to which it clamps proposals.
    nodes: nodes.map((node) => ({ ...node, wallOffsetMs: Math.floor(node.wallOffsetMs * part) })),
  };
}

function asDropIn(random: Random, session: Session, { ttlMs, maxTtlMs }: LockSettings): Session {
  const durationMs = random.oneOf([ttlMs, maxTtlMs, Math.max(200, Math.ceil(ttlMs / 2))]);
  const isUsing = random.chance(50);
  const others = NAMES.filter((name) => name !== session.name && random.chance(50));
  const use: DropInUse = {
    durationMs,
    retryCount: random.oneOf([0, 1, 3, 10]),
    ...(isUsing && { extendBeforeMs: random.between(1, durationMs - 100) }),
  };
  return {
    ...session,
    ...{ abortAfterMs: undefined, isRequest: undefined },
    ...(random.chance(40) && others.length > 0 && { also: others }),
    holdMs: Math.min(session.holdMs, LONGEST_HOLD_MS),
    extendCount: isUsing || random.chance(50) ? 0 : random.between(1, 3),
    release: isUsing && session.release !== "atEnd" ? "once" : session.release,
    dropIn: use,
  };
}
