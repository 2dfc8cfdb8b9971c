import type { RedisFleet } from "../../src/testing/index.js";
import { rotated } from "../numbers/rotated.js";
import { Child } from "../process/child.js";
import type { Progress } from "../progress.js";
import type { ClientQuestion, Route } from "./client.js";
import type { LinksQuestion } from "./links.js";
import { boundOf, type Network } from "./network.js";
import type { WidePlan } from "./plan.js";
import { roundTripsOf } from "./round-trips.js";
import { handOversOf, sampleOf, type Load, type Tenure, type WideSample } from "./sample.js";

const LINKS = new URL("links.js", import.meta.url);
const CLIENT = new URL("client.js", import.meta.url);

/** Time for starting, connecting, warming up and draining, ms, in addition to the measurement. */
const SPARE_MS = 60_000;

/** Samples of one subject in one network, one per round. */
export interface WideSeries {
  readonly network: Network;
  readonly subjectName: string;
  readonly samples: WideSample[];
}

export const wideSteps = ({ networks, subjectNames, rounds }: WidePlan): number =>
  rounds * networks.length * subjectNames.length;

/** Each round has its own processes, which go through all networks. */
export async function runWidePart(
  plan: WidePlan,
  fleet: RedisFleet,
  progress: Progress,
): Promise<WideSeries[]> {
  const all = plan.networks.map((network) =>
    plan.subjectNames.map((subjectName): WideSeries => ({ network, subjectName, samples: [] })),
  );
  for (let round = 0; round < plan.rounds; round++) {
    await Promise.all(fleet.nodes.map((node) => node.flush()));
    await using world = await World.open(plan, fleet);
    for (const series of all) {
      for (const { network, subjectName, samples } of rotated(series, round)) {
        progress.step(`${network.name}, round ${round + 1}/${plan.rounds}: ${subjectName}`);
        samples.push(await world.measure(network, subjectName));
      }
    }
  }
  return all.flat();
}

/** The processes of one subject: one alone on its names, and two that pass names back and forth. */
type Team = readonly [alone: Child, one: Child, other: Child];

class World implements AsyncDisposable {
  readonly #plan: WidePlan;
  readonly #links = new Child("links", LINKS);
  readonly #teams = new Map<string, Team>();
  #urls: Readonly<Record<Route, readonly string[]>> = { linked: [], local: [] };

  private constructor(plan: WidePlan) {
    this.#plan = plan;
  }

  static async open(plan: WidePlan, fleet: RedisFleet): Promise<World> {
    const world = new World(plan);
    try {
      await world.#open(fleet);
      return world;
    } catch (error) {
      await world[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #open(fleet: RedisFleet): Promise<void> {
    const { nodeCount, subjectNames, warmUpCycles } = this.#plan;
    const nodes = fleet.nodes.slice(0, nodeCount);
    const ports = nodes.map(({ port }) => port);
    this.#urls = {
      linked: await this.#askLinks<readonly string[]>({ kind: "open", ports }),
      local: nodes.map(({ url }) => url),
    };
    for (const subjectName of subjectNames) {
      const team = [0, 1, 2].map(() => new Child(subjectName, CLIENT)) as unknown as Team;
      this.#teams.set(subjectName, team);
      const open = { kind: "open", subjectName, urls: this.#urls, warmUpCycles } as const;
      await Promise.all(team.map((client) => ask(client, open, SPARE_MS)));
    }
  }

  async measure(network: Network, subjectName: string): Promise<WideSample> {
    const team = this.#teams.get(subjectName);
    if (team === undefined) throw new Error(`no processes of "${subjectName}"`);
    const { lines } = network;
    if (lines !== undefined) await this.#askLinks({ kind: "set", lines });
    const { cyclesPerSecond, handOverNames, handOverMs, settleMs, measureMs } = this.#plan;
    const route = routeOf(network);
    const [alone, ...pair] = team;
    const [load, roundTripsMs] = await Promise.all([
      ask<Load>(
        alone,
        { kind: "load", route, cyclesPerSecond, settleMs, measureMs },
        settleMs + measureMs + SPARE_MS,
      ),
      // At the same time, so that both run under the same conditions; and not in the process that locks.
      roundTripsOf(this.#urls[route], settleMs + measureMs),
    ]);
    const boundMs = boundOf(roundTripsMs);
    // Only afterwards: some subjects poll continuously while they wait, which keeps the machine busy.
    const passing = {
      kind: "pass",
      route,
      nameCount: handOverNames,
      roundTripMs: boundMs,
      durationMs: handOverMs,
    } as const;
    const [one = [], other = []] = await Promise.all(
      pair.map((client, index) =>
        ask<Tenure[]>(client, { ...passing, index }, handOverMs + SPARE_MS),
      ),
    );
    return sampleOf(boundMs, load, handOversOf(one, other, 2 * boundMs));
  }

  #askLinks<Answer>(question: LinksQuestion): Promise<Answer> {
    return this.#links.ask<Answer>(question, SPARE_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const children = [this.#links, ...[...this.#teams.values()].flat()];
    await Promise.all(children.map((child) => child[Symbol.asyncDispose]()));
  }
}

const routeOf = ({ lines }: Network): Route => (lines === undefined ? "local" : "linked");

const ask = <Answer>(client: Child, question: ClientQuestion, limitMs: number): Promise<Answer> =>
  client.ask<Answer>(question, limitMs);
