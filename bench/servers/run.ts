import { RedisFleet, RedisProcess, type RedisProvider } from "../../src/testing/index.js";
import { serverOf } from "../environment.js";
import { rotated } from "../numbers/rotated.js";
import type { Progress } from "../progress.js";
import { cellName } from "../uncontended/cell.js";
import { measureCell, type Series } from "../uncontended/run.js";
import type { ServersPlan } from "./plan.js";

/** Samples of one subject in one cell on one server, one per round. */
export interface ServerSeries extends Series {
  /** Such as `Valkey 8.0.1`. */
  readonly server: string;
}

export const serversSteps = ({ binaries, cells, subjectNames, rounds }: ServersPlan): number =>
  rounds * binaries.length * cells.length * subjectNames.length;

/** Uses its own fleets, all started at the beginning: rounds alternate between the servers. */
export async function runServersPart(
  plan: ServersPlan,
  _: RedisFleet,
  progress: Progress,
): Promise<ServerSeries[]> {
  const fleets: RedisFleet[] = [];
  try {
    const all: { fleet: RedisFleet; series: ServerSeries[] }[] = [];
    for (const binary of plan.binaries) {
      const provider: RedisProvider = {
        start: (options) => RedisProcess.start({ ...options, binary }),
      };
      const fleet = await RedisFleet.start({ nodes: plan.nodeCount, provider });
      fleets.push(fleet);
      all.push({ fleet, series: seriesOf(plan, await serverOf(fleet)) });
    }
    for (let round = 0; round < plan.rounds; round++) {
      for (const { fleet, series } of rotated(all, round)) {
        for (const { server, cell, subjectName, samples } of rotated(series, round)) {
          const where = `${server}, ${cellName(cell)}`;
          progress.step(`${where}, round ${round + 1}/${plan.rounds}: ${subjectName}`);
          samples.push(await measureCell(plan, cell, subjectName, fleet));
        }
      }
    }
    return all.flatMap(({ series }) => series);
  } finally {
    await Promise.all(fleets.map((fleet) => fleet.stop()));
  }
}

const seriesOf = ({ cells, subjectNames }: ServersPlan, server: string): ServerSeries[] =>
  cells.flatMap((cell) =>
    subjectNames.map((subjectName) => ({ server, cell, subjectName, samples: [] })),
  );
