import { CLIENT_LINES } from "../budget/profile.js";
import { aligned, inWords, seriesTable, type Column, type Show } from "../text/table.js";
import { contentionName } from "./contention.js";
import type { ContendedSeries } from "./run.js";
import type { ContendedSample } from "./sample.js";
import { floorShares, grantedShares } from "./targets.js";

const COLUMNS: readonly Column<Row>[] = [
  { of: (one) => one.handOversPerSecond, title: "hand-overs/s", digits: 0 },
  { of: (one) => one.floorShare, title: "/ floor", digits: 2 },
  { of: (one) => one.grantedShare, title: "/ floor-granted", digits: 2 },
  { of: (one) => one.waitMeanMs, title: "mean wait ms", digits: 1 },
  { of: (one) => one.waitP50Ms, title: "p50", digits: 1 },
  { of: (one) => one.waitP99Ms, title: "p99", digits: 1 },
  { of: (one) => one.waitMaxMs, title: "max", digits: 1 },
  { of: (one) => one.jainIndex, title: "Jain index", digits: 3 },
  { of: (one) => one.processJainIndex ?? Number.NaN, title: "of processes", digits: 3 },
  { of: (one) => one.callsPerNode, title: "calls/node", digits: 2 },
  { of: (one) => one.clientCpuUs, title: "client CPU µs", digits: 0 },
  { of: (one) => one.serverCpuUs, title: "nodes CPU µs", digits: 0 },
];

type Row = ContendedSample & { readonly floorShare: number; readonly grantedShare: number };

/** One table per shape of contention. */
export function contendedTables(series: readonly ContendedSeries[], show?: Show): string {
  const names = [...new Set(series.map(({ contention }) => contentionName(contention)))];
  return names
    .map((name) => {
      const rows = series
        .filter(({ contention }) => contentionName(contention) === name)
        .map((one) => ({ titles: [one.subjectName], samples: rowsOf(one, series) }));
      const lines = linesTable(name, series, show);
      return `#### ${name}\n\n${seriesTable(["subject"], COLUMNS, rows, show)}${lines}`;
    })
    .join("\n\n");
}

/** Subjects as columns, what the clients' CPU time of a hand-over is spent on as rows; empty where no profile was taken. */
function linesTable(
  name: string,
  series: readonly ContendedSeries[],
  show: Show = inWords,
): string {
  const subjects = series.filter(
    ({ contention, samples }) =>
      contentionName(contention) === name && samples.some(({ clientLines }) => clientLines),
  );
  if (subjects.length === 0) return "";
  const rows = CLIENT_LINES.map((line) => [
    line,
    ...subjects.map(({ samples }) =>
      show(
        samples
          .filter(({ clientCpuUs }) => Number.isFinite(clientCpuUs))
          .map(({ clientLines }) => clientLines?.[line] ?? 0),
        0,
      ),
    ),
  ]);
  const head = ["client CPU µs", ...subjects.map(({ subjectName }) => subjectName)];
  return `\n\n${aligned([head, ...rows])}`;
}

function rowsOf(one: ContendedSeries, series: readonly ContendedSeries[]): Row[] {
  const [ofFloor, ofGranted] = [floorShares(one, series), grantedShares(one, series)];
  return one.samples.map((sample, round) => ({
    ...sample,
    floorShare: ofFloor[round] ?? Number.NaN,
    grantedShare: ofGranted[round] ?? Number.NaN,
  }));
}
