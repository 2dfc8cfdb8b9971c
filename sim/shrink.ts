import type { Fault, Scenario } from "./scenario.js";

/** Whether a scenario still fails in the way that is being looked for. */
export type StillFails = (scenario: Scenario) => Promise<boolean>;

/**
 * Removes what a scenario's failure does not need, greedily, until nothing more can be removed or the tries are used
 * up. Decisions are made by name, so the rest runs as before.
 */
export async function shrink(
  scenario: Scenario,
  stillFails: StillFails,
  tryCount = 400,
): Promise<Scenario> {
  let smallest = scenario;
  let left = tryCount;
  const attempt = async (candidate: Scenario): Promise<boolean> => {
    if (left-- <= 0 || !(await stillFails(candidate))) return false;
    smallest = candidate;
    return true;
  };
  // Once the tries are used up, nothing gets smaller.
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (const key of ["faults", "workload"] as const) {
      isSmaller = (await dropFrom(key, () => smallest, attempt)) || isSmaller;
    }
    for (const simplify of SIMPLER) {
      const candidate = simplify(smallest);
      if (candidate !== undefined) isSmaller = (await attempt(candidate)) || isSmaller;
    }
  }
  return smallest;
}

/** Drops halves of the list, then quarters, down to single items. */
async function dropFrom(
  key: "faults" | "workload",
  current: () => Scenario,
  attempt: (candidate: Scenario) => Promise<boolean>,
): Promise<boolean> {
  let isSmaller = false;
  for (let size = Math.ceil(current()[key].length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < current()[key].length;) {
      const scenario = current();
      const candidate = { ...scenario, [key]: without<unknown>(scenario[key], from, size) };
      if (await attempt(candidate)) isSmaller = true;
      else from += size;
    }
  }
  return isSmaller;
}

function without<T>(items: readonly T[], from: number, count: number): T[] {
  return [...items.slice(0, from), ...items.slice(from + count)];
}

/** Each simplifies one thing; undefined if it is already simple. */
const SIMPLER: readonly ((scenario: Scenario) => Scenario | undefined)[] = [
  dropLastClient,
  dropLastForeign,
  dropForeignSession(0),
  dropForeignSession(-1),
  (scenario) => withNetwork(scenario, { dropPerMille: 0 }),
  (scenario) => withNetwork(scenario, { duplicatePerMille: 0 }),
  (scenario) => withNetwork(scenario, { zombiePerMille: 0 }),
  (scenario) => withNetwork(scenario, { tailPerMille: 0 }),
  (scenario) => withClocks(scenario),
  ({ distancesUs, ...scenario }) => (distancesUs === undefined ? undefined : scenario),
  withSameOptions,
  (scenario) => withSessions(scenario, { also: undefined }),
  (scenario) => withSessions(scenario, { writeCount: 0 }),
  (scenario) => withSessions(scenario, { extendCount: 0 }),
  (scenario) => withSessions(scenario, { extendToMs: undefined }),
  (scenario) => withSessions(scenario, { abortAfterMs: undefined }),
];

/** Only the last one: the decisions of the others depend on their numbers. */
function dropLastClient(scenario: Scenario): Scenario | undefined {
  const last = scenario.clients.length - 1;
  if (last < 1) return undefined;
  return {
    ...scenario,
    clients: scenario.clients.slice(0, last),
    workload: scenario.workload.filter(({ client }) => client < last),
    faults: withoutClient(scenario.faults, last),
  };
}

/** The same for foreign processes, which are numbered after the clients. */
function dropLastForeign(scenario: Scenario): Scenario | undefined {
  const { clients, foreign = [], faults } = scenario;
  if (foreign.length === 0) return undefined;
  const last = foreign.length - 1;
  return {
    ...scenario,
    foreign: foreign.slice(0, last),
    faults: withoutClient(faults, clients.length + last),
  };
}

/** @param at which session of each process that has any */
function dropForeignSession(at: 0 | -1): (scenario: Scenario) => Scenario | undefined {
  return (scenario) => {
    const { foreign = [] } = scenario;
    if (foreign.every(({ sessions }) => sessions.length === 0)) return undefined;
    const fewer = foreign.map((process) => {
      return { ...process, sessions: process.sessions.toSpliced(at, 1) };
    });
    return { ...scenario, foreign: fewer };
  };
}

function withoutClient(faults: readonly Fault[], dropped: number): Fault[] {
  return faults.flatMap((fault) => {
    if (!("client" in fault) || fault.client < dropped) return fault;
    return fault.client === dropped ? [] : { ...fault, client: fault.client - 1 };
  });
}

function withNetwork(
  scenario: Scenario,
  change: Partial<Scenario["network"]>,
): Scenario | undefined {
  const network = { ...scenario.network, ...change };
  return isSame(network, scenario.network) ? undefined : { ...scenario, network };
}

function withClocks(scenario: Scenario): Scenario | undefined {
  const nodes = scenario.nodes.map((node) => ({ ...node, wallOffsetMs: 0, ratePpm: 0 }));
  const clients = scenario.clients.map((client) => {
    return { ...client, wallOffsetMs: 0, steadyPpm: 0, wallPpm: 0 };
  });
  const isPlain = isSame(nodes, scenario.nodes) && isSame(clients, scenario.clients);
  return isPlain ? undefined : { ...scenario, nodes, clients };
}

function withSameOptions(scenario: Scenario): Scenario | undefined {
  const clients = scenario.clients.map((client) => ({ ...client, options: undefined }));
  return isSame(clients, scenario.clients) ? undefined : { ...scenario, clients };
}

function withSessions(
  scenario: Scenario,
  change: Partial<Scenario["workload"][number]>,
): Scenario | undefined {
  const workload = scenario.workload.map((session) => ({ ...session, ...change }));
  return isSame(workload, scenario.workload) ? undefined : { ...scenario, workload };
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
