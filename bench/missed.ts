import { boundText, type Verdict } from "./verdict.js";
import { tableOf } from "../pages/source.js";
import { format } from "./text/table.js";

/** Why targets are missed, by their figure, and what changes it. In words: the figures are those of the run. */
const WHY: Readonly<Record<string, string>> = {
  "p50 / best peer":
    "Each cycle wakes one process per node, and all share the cores of this machine. A call of Quorate's script takes 12 to 19 µs of a node, its commands in the shortest script 8, and a call of redlock's 5. A bare client of ioredis that sends the same calls, without deadlines, checks or limits, is at 1.33 on five nodes and 1.11 on one. A core per node helps",
  "cycles/s / best peer":
    "Client and node take turns, so no core is always busy: plain sockets without a client library are 1.03 times as fast as the best peer there. More in flight helps",
  "hand-overs/s / floor":
    "The floor has no queue, no deadlines and no fencing. A core per node helps",
  "hand-overs/s / floor-granted":
    "Each of so many processes runs too seldom to have its code optimized, and in the caches of the processor: after two minutes of warm-up it is 0.65. A bare client that sends the same calls, without deadlines, checks or limits, reaches 0.78. Fewer processes per core help",
  "longest wait / median":
    "A hand-over within a process takes less than 0.2 ms, so the longest wait is one in which the system ran other processes. That of the floor whose release grants is 20 to 30 times its median there. A core per process helps",
  "hand-overs/s / those of 2 x 8 workers, 1 ms section":
    "The next holder is always another process, which has to be scheduled. Fewer processes per core help",
  "script calls per node and hand-over":
    "Two are a release and an entry; the others refresh the places of those that wait. Fewer processes help",
  "client CPU, % of a core": "Each place in the queues is refreshed every 2 s. A faster core helps",
  "speed / without, by CPU per cycle":
    "Nothing more is sent. A node compares each name with those that are observed: a tenth of a microsecond per call",
  "CPU of the first cycles / redlock":
    "There is more code to compile: queues, fencing, admission. The ratio falls with every cycle",
  "CPU of import / ioredis":
    "There is more code, in as few files as its entries allow. One import per process",
  "CPU per cycle, 9 nodes / 5 nodes":
    "Each node costs a write, a wake-up and a read of its own. More in flight share them",
  "acquire p50 / (bound + acquire on this machine)":
    "So near, the timers that delay the messages and the client compete for the same cores. A core for the client helps",
  "acquire p99 / best peer":
    "A late reply is waited for as long as it can still decide. A core for the client helps",
  "acquire p99, outage / healthy":
    "The median does not change. With fewer nodes, the slowest of those left decides",
};

/** The targets that a run has missed, a row for each figure. */
export function missedTable(verdicts: readonly Verdict[]): string {
  const missed = verdicts.filter(({ verdict }) => verdict === "missed");
  if (missed.length === 0) return "None.";
  const rows = [...new Set(missed.map(({ figure }) => figure))].map((figure) => {
    const all = missed.filter((one) => one.figure === figure);
    return [
      figure,
      [...new Set(all.map(({ target }) => boundText(target)))].join(", "),
      all.map(({ where, measured }) => `${format(measured.median, 2)} (${where})`).join(", "),
      WHY[figure] ?? "not known yet",
    ];
  });
  return tableOf(["figure", "target", "measured", "why, and what helps"], rows);
}
