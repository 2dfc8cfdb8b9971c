import type {
  History,
  HistoryEvent,
  HistorySettings,
  OracleId,
  PhaseEvent,
  Violation,
} from "./oracles/history.js";
import { getOrAdd } from "./oracles/get-or-add.js";
import { judge } from "./oracles/judge.js";
import { CLOCK_BAND_MS } from "../src/protocol/lease-times.js";
import { seededChoices, type Choices } from "./choices.js";
import { planFaults } from "./fault-injection.js";
import { Fleet, TIMER_SLOP_US, type Surroundings } from "./fleet.js";
import { DEFAULTS } from "../src/options/table.js";
import type { LockSettings, Scenario, Session } from "./scenario.js";
import { oraclesOf } from "./profiles.js";
import { runSession } from "./session.js";
import type { SimClient } from "./sim-client.js";
import { fencedStore, unfencedStore, type Store, type StoreKind } from "./store.js";
import { Operator } from "./operator.js";
import { traceHash } from "./trace.js";

export interface SimulateOptions extends Surroundings {
  /** Makes the decisions; by default from the scenario's seed. */
  readonly choices?: Choices;
  /** The oracles that judge; by default those that hold in the scenario's profile. */
  readonly oracles?: readonly OracleId[];
}

export interface RunResult {
  readonly violations: readonly Violation[];
  readonly history: History;
  /** Two runs with the same hash did the same, event by event. */
  readonly traceHash: string;
  /** Number of simulation events, most of which leave nothing in the history. */
  readonly eventCount: number;
}

/** Time for pending work to settle once everything is healthy, ms. */
const SETTLE_MS = 5_000;

/** Hold time of each reader, or lock on one name of a set, in a stream of them, ms. */
const STREAM_MS = 60;

/** Number of clients that contend for the lock after healing. */
const WAITER_COUNT = 2;

/** A process whose wall clock is ahead by more waits behind the others for a noticeable part of the end, ms. */
const MAX_WALL_SPREAD_MS = 1_000;

function areApart(machines: readonly { readonly wallOffsetMs: number }[]): boolean {
  const offsetsMs = machines.map(({ wallOffsetMs }) => wallOffsetMs);
  return Math.max(...offsetsMs) - Math.min(...offsetsMs) > MAX_WALL_SPREAD_MS;
}

/** Runs one scenario from start to end and judges its history. */
export async function simulate(
  scenario: Scenario,
  options: SimulateOptions = {},
): Promise<RunResult> {
  const events: HistoryEvent[] = [];
  const choices = options.choices ?? seededChoices(scenario.seed);
  const fleet = new Fleet(scenario, choices, events, options);
  await runPhases(fleet, scenario);

  const history: History = { settings: settingsOf(scenario), events };
  // Computed lazily: only some callers read it.
  return {
    violations: judge(history, options.oracles ?? oraclesOf(scenario.profile)),
    history,
    eventCount: fleet.world.eventCount,
    get traceHash() {
      return traceHash(events);
    },
  };
}

function settingsOf({ nodeCount, nodes, options, clients }: Scenario): HistorySettings {
  const rates = clients.map(({ steadyPpm, wallPpm }) => Math.abs(wallPpm - steadyPpm));
  // A timer relies on the monotonic clock alone for up to a second.
  const lossSlopUs = Math.max(
    0,
    ...rates.map((rate) => (rate > 0 ? 1.2 * rate + CLOCK_BAND_MS * 1_000 : 0)),
  );
  const { driftFactor } = options;
  const maxTtlMs = recordedTtlMs(options, clients);
  const steadyPpm = Math.max(0, ...clients.map((client) => client.steadyPpm));
  const isNarrow = options.window !== undefined;
  const reservesNothing = options.layout !== undefined;
  const slops = { timerSlopUs: TIMER_SLOP_US, lossSlopUs, steadyPpm };
  const nodeRatesPpm = nodes.map(({ ratePpm }) => ratePpm);
  const areWallsApart = areApart(clients) && areApart(nodes);
  const own = { isNarrow, reservesNothing, areWallsApart };
  return { nodeCount, driftFactor, maxTtlMs, nodeRatesPpm, ...own, ...slops };
}

async function runPhases(fleet: Fleet, scenario: Scenario): Promise<void> {
  const { world } = fleet;
  const atMs = (ms: number, run: () => void): void => void world.at(ms * 1_000, run);
  const stores = new Map<string, Store>();
  const sessionWorld = {
    world,
    record: fleet.record,
    checkToWriteMs: scenario.options.checkToWriteMs,
    clientAt: (index: number) => fleet.clientAt(index),
    isEnding: () => fleet.isHealing,
    stores: (kind: StoreKind, name: string) =>
      getOrAdd(stores, `${kind} ${name}`, kind === "fenced" ? fencedStore : unfencedStore),
  };

  scenario.clients.forEach(({ startMs }, index) => atMs(startMs, () => fleet.startClient(index)));
  for (const sessions of sessionsByTick(scenario.workload)) {
    const [first] = sessions;
    atMs(first.atMs, () => {
      const naive = fleet.naiveAt(first.client);
      naive?.process.enter(() => {
        for (const session of sessions) void naive.run(sessionWorld, session);
      });
      const client = fleet.clientAt(first.client);
      client?.process.enter(() => {
        for (const session of sessions) void runSession(sessionWorld, client, session);
      });
    });
  }
  fleet.foreign.plan();
  planFaults(fleet, scenario.faults);
  if (scenario.nodeChanges !== undefined) new Operator(fleet, scenario.nodeChanges).begin();
  await world.run(scenario.chaosMs * 1_000);

  fleet.isHealing = true;
  fleet.calmNetwork();
  if (scenario.ending === "core") await runCore(fleet, scenario);

  // Everything is healed: all leftovers must be gone, even those whose ttl is longer than this phase.
  scenario.nodes.forEach((_, index) => fleet.healNode(index));
  fleet.goOn();
  fleet.releaseAll();
  phase(fleet, "calm");
  await world.run(world.nowUs + SETTLE_MS * 1_000);
  phase(fleet, "clean");

  for (const client of fleet.clients) client.process.enter(() => void client.close());
  await world.run(world.nowUs + SETTLE_MS * 1_000);
}

/** The sessions one client starts at one instant start in one tick: their operations share batches. */
function sessionsByTick(workload: readonly Session[]): [Session, ...Session[]][] {
  const ticks = new Map<string, [Session, ...Session[]]>();
  for (const session of workload) {
    const key = `${session.atMs} ${session.client}`;
    const tick = ticks.get(key);
    if (tick === undefined) ticks.set(key, [session]);
    else tick.push(session);
  }
  return [...ticks.values()];
}

/** A quorum is healed, all other nodes stay unreachable: some client must get the lock. */
async function runCore(fleet: Fleet, scenario: Scenario): Promise<void> {
  const { world } = fleet;
  scenario.nodes.forEach((_, index) => {
    if (scenario.core.includes(index)) fleet.healNode(index);
    else fleet.isolateNode(index);
  });
  for (const [index] of scenario.clients.entries()) fleet.startClient(index);
  fleet.goOn();
  fleet.releaseAll();
  phase(fleet, "heal");
  await world.run(world.nowUs + 1_000);
  const waitMs = progressMs(scenario);
  const { name = "a", also, permits, takes } = scenario.workload[0] ?? {};
  let settledCount = 0;
  // A turn belongs to a process: if it wants both to read and a permit of a name, it may use the turn for either.
  const isReading =
    permits === undefined && scenario.workload.some(({ mode }) => mode === "shared");
  const clients = fleet.clients.slice(0, WAITER_COUNT);
  const isOver = (): boolean => settledCount === clients.length;
  if (isReading) {
    for (const client of fleet.clients) keepReading(client, name, waitMs, isOver);
    await world.run(world.nowUs + STREAM_MS * 1_000);
  } else if (also !== undefined && permits === undefined) {
    for (const client of clients)
      for (const each of [name, ...also]) keepHolding(client, each, waitMs, isOver);
    await world.run(world.nowUs + STREAM_MS * 1_000);
  }
  const wanted = { name, waitMs, also, permits, takes };
  for (const client of clients) {
    client.process.enter(() => {
      void client.acquire(wanted).then((lock) => {
        settledCount++;
        return lock && client.release(lock);
      });
    });
  }
  await world.run(world.nowUs + (waitMs + 2 * scenario.options.nodeTimeoutMs + 100) * 1_010);
  phase(fleet, "progress");
}

/** Two alternating readers per client, so that the name nearly always has a reader. */
function keepReading(client: SimClient, name: string, waitMs: number, isOver: () => boolean): void {
  const { process } = client;
  const read = async (delayMs: number): Promise<void> => {
    await process.sleep(delayMs);
    await stream(client, { name, waitMs, mode: "shared" }, isOver);
  };
  process.enter(() => {
    for (const delayMs of [0, STREAM_MS / 2]) void read(delayMs);
  });
}

/** Two that alternate per client and name, so that it is nearly always held, and waited for. */
function keepHolding(client: SimClient, name: string, waitMs: number, isOver: () => boolean): void {
  client.process.enter(() => {
    for (let count = 0; count < 2; count++) void stream(client, { name, waitMs }, isOver);
  });
}

async function stream(
  client: SimClient,
  wanted: Parameters<SimClient["acquire"]>[0],
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    const lock = await client.acquire(wanted);
    await client.process.sleep(STREAM_MS);
    if (lock !== undefined) await client.release(lock);
  }
}

function phase(fleet: Fleet, what: PhaseEvent["what"]): void {
  fleet.record({ kind: "phase", what });
}

/** The longest ttl that may be on record: a client without one of its own begins new records with the default. */
function recordedTtlMs(options: LockSettings, clients: Scenario["clients"]): number {
  const isAnyTaken = clients.some((client) => client.options?.takesRecordedTtl === true);
  return isAnyTaken ? Math.max(options.maxTtlMs, DEFAULTS.maxTtlMs) : options.maxTtlMs;
}

/**
 * The longest a waiter may have to wait once a quorum is healthy: for the keys of a holder that died, or for a
 * quarantine, after which the first acquire may find that the node has lost its data again, unnoticed because
 * nothing was asked of it; then for reconnecting, the other nodes' timeouts, and its own pause.
 */
function progressMs({ options, clients }: Scenario): number {
  const { nodeTimeoutMs, maxDelayMs } = options;
  const maxTtlMs = recordedTtlMs(options, clients);
  const quarantineMs = Math.ceil(maxTtlMs * 1.02) + 1_100;
  const openMs = Math.max(1_000, 2 * nodeTimeoutMs) + Math.max(4_000, 8 * nodeTimeoutMs);
  return 2 * quarantineMs + openMs + 1_000 + 4 * (maxDelayMs + 2 * nodeTimeoutMs);
}
