import type {
  Counter,
  Histogram,
  Meter,
  ObservableGauge,
  ObservableUpDownCounter,
} from "@opentelemetry/api";

/** Buckets from 1 ms to 30 s; locks can be held for longer. */
const SECONDS = [
  ...[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5],
  ...[1, 2.5, 5, 10, 30],
];
const LONG_SECONDS = [...SECONDS, 60, 300, 1_800, 7_200];
const COUNTS = [1, 2, 3, 5, 10, 20, 50, 100];

/** Kind, unit, description and buckets of each metric. In seconds where the messages have ms. */
const METRICS = {
  "quorate.acquire.duration": [
    "histogram",
    "s",
    "From the call of an acquire to its outcome",
    SECONDS,
  ],
  "quorate.acquire.attempts": ["histogram", "{attempt}", "Attempts of an acquire", COUNTS],
  "quorate.waiting": ["upDownCounter", "{waiter}", "Acquires that wait in this process"],
  "quorate.hold.duration": ["histogram", "s", "How long a lock was held", LONG_SECONDS],
  "quorate.held": ["upDownCounter", "{lock}", "Locks that this process holds"],
  "quorate.validity.remaining": ["histogram", "s", "Remaining validity", SECONDS],
  "quorate.renewal.lateness": ["histogram", "s", "Delay of a renewal after it was due", SECONDS],
  "quorate.round.duration": [
    "histogram",
    "s",
    "From the first send of a round to its verdict",
    SECONDS,
  ],
  "quorate.votes": ["counter", "{vote}", "Votes of the nodes"],
  "quorate.node.duration": [
    "histogram",
    "s",
    "From the first send of a round to a node's vote",
    SECONDS,
  ],
  "quorate.node.state": [
    "gauge",
    "1",
    "1 for the current state of a node, 0 for its earlier states",
  ],
  "quorate.node.quarantine": ["gauge", "s", "Remaining quarantine of a node"],
  "quorate.quorum.reserve": ["gauge", "{node}", "Voting nodes minus the quorum"],
  "quorate.telemetry.groups.overflow": [
    "counter",
    "{name}",
    "Measurements of names beyond the first 100 groups",
  ],
} as const satisfies Record<
  string,
  readonly [
    kind: "histogram" | "counter" | "upDownCounter" | "gauge",
    unit: string,
    description: string,
    boundaries?: readonly number[],
  ]
>;

type Metrics = typeof METRICS;
type OfKind = {
  readonly histogram: Histogram;
  readonly counter: Counter;
  readonly upDownCounter: ObservableUpDownCounter;
  readonly gauge: ObservableGauge;
};

/** All metrics, by name. Current states are observed when they are collected. */
export type Instruments = { readonly [name in keyof Metrics]: OfKind[Metrics[name][0]] };

/** Names of all metrics. */
export const METRIC_NAMES = Object.keys(METRICS) as (keyof Metrics)[];

export function instrumentsOf(meter: Meter): Instruments {
  const entries = Object.entries(METRICS).map(([name, [kind, unit, description, boundaries]]) => {
    const options = {
      unit,
      description,
      ...(boundaries && { advice: { explicitBucketBoundaries: [...boundaries] } }),
    };
    return [name, create(meter, kind, name, options)];
  });
  return Object.fromEntries(entries) as Instruments;
}

function create(
  meter: Meter,
  kind: keyof OfKind,
  name: string,
  options: Parameters<Meter["createHistogram"]>[1],
): OfKind[keyof OfKind] {
  switch (kind) {
    case "histogram":
      return meter.createHistogram(name, options);
    case "counter":
      return meter.createCounter(name, options);
    case "upDownCounter":
      return meter.createObservableUpDownCounter(name, options);
    case "gauge":
      return meter.createObservableGauge(name, options);
  }
}
