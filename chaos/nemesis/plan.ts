import { seededRandom, type Random } from "../../sim/random.js";
import { LARGEST_RATE_ERROR, linkedSeats, minorityOf, type CampaignSettings } from "../settings.js";
import { Budget } from "./budget.js";
import {
  CLIENT_FAULTS,
  CUT_FAULTS,
  cutsOf,
  NODE_FAULTS,
  QUIET_FAULTS,
  RELAYS,
  STEP_FAULTS,
  type Fault,
  type FaultKind,
} from "./faults.js";
import { draw, someNodes, STEP_RESERVE_MS, type Drawn } from "./menu.js";

/** Time for clients to settle before the first fault, ms. */
const CALM_START_MS = 1_000;

/** Mean time between two attempts to hit nodes, and clients, ms. */
const NODE_GAP_MS = 400;
const RELAY_GAP_MS = 12_000;
const CLIENT_GAP_MS = 1_500;
const CLOCK_GAP_MS = 6_000;
const CUT_GAP_MS = 2_500;
const STEP_GAP_MS = 2_000;

/** Time between two cuts of one client, ms: the end of the first must not heal the second. */
const CUT_REST_MS = 500;

/** All faults of a campaign, ordered by time: the same for the same settings. */
export function planOf(settings: CampaignSettings): Fault[] {
  const drawn = {
    random: randomFaults,
    "fast-clocks": fastClocks,
    "clock-steps": clockSteps,
    relays: relays,
    "slow-replies": slowReplies,
    outages,
  }[settings.schedule](settings);
  return drawn
    .toSorted((a, b) => a.atMs - b.atMs)
    .map((fault, id) => Object.assign({}, fault, { id }));
}

function randomFaults(settings: CampaignSettings): Fault[] {
  const kindsIn = (...menus: (readonly FaultKind[])[]): FaultKind[] =>
    settings.faults.filter((kind) => menus.some((menu) => menu.includes(kind)));
  const budget = new Budget(settings);
  const clocks = new Turns();
  const steps = new Turns();
  const cuts = new Turns();
  const isInBudget = (fault: Fault): boolean => budget.take(fault);
  return [
    // First, because they need all nodes undisturbed; the others are fitted in around them.
    ...stream(settings, 1, kindsIn(RELAYS, ["majorityEmpty"]), RELAY_GAP_MS, isInBudget),
    ...stream(settings, 2, kindsIn(NODE_FAULTS), NODE_GAP_MS, isInBudget),
    ...stream(settings, 3, kindsIn(CLIENT_FAULTS, ["stopAfterCheck"]), CLIENT_GAP_MS, () => true),
    ...stream(
      settings,
      4,
      kindsIn(QUIET_FAULTS, ["clockJump"]),
      CLOCK_GAP_MS,
      (fault) => fault.kind !== "clockRate" || clocks.take(fault.nodes, fault.atMs, fault.forMs),
    ),
    ...stream(settings, 6, kindsIn(CUT_FAULTS), CUT_GAP_MS, (fault) => {
      const clients = cutsOf(fault).map(({ client }) => client);
      return cuts.take(clients, fault.atMs, fault.forMs + CUT_REST_MS);
    }),
    ...stream(settings, 8, kindsIn(STEP_FAULTS), STEP_GAP_MS, ({ kind, nodes, atMs, forMs }) => {
      if (kind === "clockSlew") return clocks.take(nodes, atMs, forMs);
      // The margin covers the gain between two renewals: no second step forward within a lease.
      return steps.take(nodes, atMs, forMs + 2 * settings.ttlMs);
    }),
  ];
}

/** One stream of faults with its own seed, so that changing one menu leaves the other streams unchanged. */
function stream(
  settings: CampaignSettings,
  salt: number,
  kinds: readonly FaultKind[],
  gapMs: number,
  take: (fault: Fault) => boolean,
): Fault[] {
  const random = seededRandom(settings.seed * 16 + salt);
  const faults: Fault[] = [];
  if (kinds.length === 0) return faults;
  let atMs = CALM_START_MS;
  for (;;) {
    atMs += random.between(1, 2 * gapMs);
    if (atMs >= settings.durationMs) return faults;
    const fault = planned(draw(pick(kinds, random, atMs, settings), random, settings), atMs);
    if (take(fault)) faults.push(fault);
  }
}

/**
 * Outside of the model, memory is lost in the first half and clocks are wrong in the second. With both at once, a
 * counter could restart below values already issued, and nothing is promised then.
 */
function pick(
  kinds: readonly FaultKind[],
  random: Random,
  atMs: number,
  { durationMs, faults }: CampaignSettings,
): FaultKind {
  const kind = random.oneOf(kinds);
  if (!faults.includes("clockJump")) return kind;
  const isLate = atMs > durationMs / 2;
  if (kind === "clockJump" && !isLate) return "scriptFlush";
  const forgetful: readonly FaultKind[] = ["kill", "empty", "flush", "relay", "majorityEmpty"];
  return isLate && forgetful.includes(kind) ? "freeze" : kind;
}

/** All clocks as fast as allowed, for the whole campaign. */
function fastClocks(settings: CampaignSettings): Fault[] {
  const { nodeCount, durationMs } = settings;
  const nodes = Array.from({ length: nodeCount }, (_, node) => node);
  const amount = 1 + LARGEST_RATE_ERROR;
  const rate: Drawn = {
    kind: "clockRate",
    nodes,
    client: undefined,
    direction: "both",
    amount,
    forMs: 2 * durationMs,
  };
  return [planned(rate, 0)];
}

/** Steps all clocks at once, by more than a lease and less than the margin, and back before the next step. */
function clockSteps(settings: CampaignSettings): Fault[] {
  const random = seededRandom(settings.seed * 16 + 9);
  const { nodeCount, durationMs, ttlMs, clockStepMs } = settings;
  const nodes = Array.from({ length: nodeCount }, (_, node) => node);
  const faults: Fault[] = [];
  for (let atMs = CALM_START_MS; atMs < durationMs; atMs += 2 * ttlMs) {
    const amount = random.between(ttlMs, clockStepMs - STEP_RESERVE_MS);
    const forMs = random.between(100, ttlMs);
    faults.push(planned({ ...draw("clockStep", random, settings), nodes, amount, forMs }, atMs));
    atMs += forMs;
  }
  return faults;
}

/**
 * Repeatedly, a minority is unreachable while a name is locked on the other nodes. When it comes back, one of the
 * others restarts empty at the same instant. That node and the minority form a quorum that knows nothing of the lock.
 */
function relays(settings: CampaignSettings): Fault[] {
  const random = seededRandom(settings.seed * 16 + 5);
  const { nodeCount, durationMs, ttlMs, maxTtlMs } = settings;
  const cutOff = Array.from({ length: minorityOf(nodeCount) }, (_, at) => nodeCount - 1 - at);
  const nodes = [...cutOff, nodeCount - 1 - cutOff.length];
  const faults: Fault[] = [];
  for (let atMs = CALM_START_MS; atMs < durationMs; atMs += maxTtlMs + 1_500) {
    // Long enough that everything stored on the minority has expired.
    const forMs = ttlMs + random.between(100, 400);
    faults.push(planned({ ...draw("relay", random, settings), nodes, forMs }, atMs));
    atMs += forMs;
  }
  return faults;
}

/** Half of the clients get their answers just before the node timeout, the others at once. */
function slowReplies({
  nodeCount,
  clientCount,
  durationMs,
  nodeTimeoutMs,
}: CampaignSettings): Fault[] {
  const nodes = Array.from({ length: nodeCount }, (_, node) => node);
  return linkedSeats(clientCount).map((client) => {
    const amount = Math.floor(0.7 * nodeTimeoutMs);
    const lag = { kind: "lag", nodes, client, direction: "toClient", amount } as const;
    return planned({ ...lag, forMs: 2 * durationMs }, 0);
  });
}

/** A different minority each time is unreachable for all clients, then healthy for a while. */
function outages(settings: CampaignSettings): Fault[] {
  const random = seededRandom(settings.seed * 16 + 7);
  const { nodeCount, durationMs } = settings;
  const faults: Fault[] = [];
  for (let atMs = CALM_START_MS; atMs < durationMs; atMs += 1_200) {
    const forMs = random.between(200, 1_000);
    const nodes = someNodes(random, nodeCount, minorityOf(nodeCount));
    faults.push(planned({ ...draw("refuse", random, settings), nodes, forMs }, atMs));
    atMs += forMs;
  }
  return faults;
}

/** At most one fault of its sort at a time per node or client. */
class Turns {
  readonly #taken: { readonly one: number; readonly fromMs: number; readonly toMs: number }[] = [];

  /** False if one of them is already affected at any time in between. */
  take(whom: readonly number[], fromMs: number, forMs: number): boolean {
    const toMs = fromMs + forMs;
    const isBusy = this.#taken.some(
      (other) => whom.includes(other.one) && other.fromMs < toMs && fromMs < other.toMs,
    );
    if (isBusy) return false;
    for (const one of whom) this.#taken.push({ one, fromMs, toMs });
    return true;
  }
}

/** The id is assigned when all faults are known. */
function planned(drawn: Drawn, atMs: number): Fault {
  return { ...drawn, atMs, id: -1 };
}
