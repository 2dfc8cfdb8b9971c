import { aligned, format } from "../markdown.js";
import { spreadOf } from "../spread.js";
import type { ContendedSample, ContendedSubject, Contention } from "./contention.js";
import type { ContendedSeries } from "./run-contention.js";

const COLUMNS: readonly { metric: keyof ContendedSample; title: string; digits: number }[] = [
  { metric: "handOversPerSecond", title: "hand-overs/s", digits: 0 },
  { metric: "waitMeanMs", title: "wait mean ms", digits: 1 },
  { metric: "waitP50Ms", title: "p50", digits: 1 },
  { metric: "waitP99Ms", title: "p99", digits: 1 },
  { metric: "waitMaxMs", title: "max", digits: 1 },
  { metric: "jainIndex", title: "Jain index", digits: 3 },
  { metric: "callsPerNode", title: "script calls/node", digits: 2 },
];

interface Goal {
  readonly subject: ContendedSubject;
  readonly title: string;
  readonly of: (sample: ContendedSample) => number;
  readonly atLeast?: number;
  readonly atMost?: number;
}

const GOALS: readonly Goal[] = [
  { subject: "quorate", title: "hand-overs/s", of: (s) => s.handOversPerSecond, atLeast: 600 },
  { subject: "quorate", title: "script calls/node", of: (s) => s.callsPerNode, atMost: 4 },
  {
    subject: "quorate",
    title: "wait p99 / mean",
    of: (s) => s.waitP99Ms / s.waitMeanMs,
    atMost: 2,
  },
  { subject: "quorate-fair", title: "Jain index", of: (s) => s.jainIndex, atLeast: 0.95 },
];

/** One table of the medians with their ranges, and what they should be. */
export function contendedReport(
  contention: Contention,
  series: readonly ContendedSeries[],
): string {
  const { processCount, workerCount, sectionMs } = contention;
  const head = ["subject", ...COLUMNS.map(({ title }) => title)];
  const rows = series.map(({ subjectName, samples }) => [
    subjectName,
    ...COLUMNS.map(({ metric, digits }) =>
      inWords(
        samples.map((one) => one[metric]),
        digits,
      ),
    ),
  ]);
  const goals = GOALS.flatMap(({ subject, title, of, atLeast, atMost }) => {
    const samples = series.find(({ subjectName }) => subjectName === subject)?.samples ?? [];
    const { median } = spreadOf(samples.map(of));
    const isReached = median >= (atLeast ?? -Infinity) && median <= (atMost ?? Infinity);
    const target = atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`;
    return [
      [subject, title, target, inWords(samples.map(of), 2), isReached ? "reached" : "missed"],
    ];
  });
  return `### contended, 5 nodes, ${processCount} processes of ${workerCount} workers, ${sectionMs} ms section

${aligned([head, ...rows])}

${aligned([["subject", "figure", "target", "measured", "verdict"], ...goals])}
`;
}

function inWords(values: readonly number[], digits: number): string {
  const { median, min, max } = spreadOf(values);
  const [middle, low, high] = [median, min, max].map((value) => format(value, digits));
  return low === high ? `${middle}` : `${middle} (${low} to ${high})`;
}
