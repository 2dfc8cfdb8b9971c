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

/** What is said of one metric. */
export interface MetricRow {
  readonly kind: "histogram" | "counter" | "upDownCounter" | "gauge";
  readonly unit: string;
  readonly description: string;
  /** Of its values, at most. */
  readonly attributes: readonly string[];
  readonly boundaries?: readonly number[];
}

const NODE = ["server.address", "server.port"] as const;

/** All metrics. In seconds where the messages have ms. */
export const METRICS = {
  "quorate.acquire.duration": {
    kind: "histogram",
    unit: "s",
    description: "From the call of an acquire to its outcome",
    attributes: ["group", "mode", "outcome"],
    boundaries: SECONDS,
  },
  "quorate.acquire.attempts": {
    kind: "histogram",
    unit: "{attempt}",
    description: "Attempts of an acquire",
    attributes: ["group"],
    boundaries: COUNTS,
  },
  "quorate.waiting": {
    kind: "upDownCounter",
    unit: "{waiter}",
    description: "Acquires that wait in this process",
    attributes: ["group"],
  },
  "quorate.hold.duration": {
    kind: "histogram",
    unit: "s",
    description:
      "How long a lock was held, at most to the end of its validity; its `end` is `released`, or why it was lost",
    attributes: ["group", "mode", "end"],
    boundaries: LONG_SECONDS,
  },
  "quorate.held": {
    kind: "upDownCounter",
    unit: "{lock}",
    description: "Locks that this process holds",
    attributes: ["group", "mode"],
  },
  "quorate.validity.remaining": {
    kind: "histogram",
    unit: "s",
    description:
      "Remaining validity at a grant, a renewal or a release: it shrinks before locks are lost",
    attributes: ["at"],
    boundaries: SECONDS,
  },
  "quorate.renewal.lateness": {
    kind: "histogram",
    unit: "s",
    description: "Delay of a renewal, or of its retry, after it was due: stalls of the event loop",
    attributes: ["group"],
    boundaries: SECONDS,
  },
  "quorate.round.duration": {
    kind: "histogram",
    unit: "s",
    description: "From the first send of a round to its verdict",
    attributes: ["operation", "verdict"],
    boundaries: SECONDS,
  },
  "quorate.votes": {
    kind: "counter",
    unit: "{vote}",
    description: "Votes of the nodes",
    attributes: [...NODE, "operation", "vote", "fault"],
  },
  "quorate.node.duration": {
    kind: "histogram",
    unit: "s",
    description: "From the first send of a round to a node's vote",
    attributes: [...NODE, "operation"],
    boundaries: SECONDS,
  },
  "quorate.node.state": {
    kind: "gauge",
    unit: "1",
    description:
      "1 for the current state of a node, 0 for its earlier states. Where the lock managers of a process see it in two states, both are 1",
    attributes: [...NODE, "state"],
  },
  "quorate.node.quarantine": {
    kind: "gauge",
    unit: "s",
    description: "Remaining quarantine of a node, of several lock managers the longest",
    attributes: NODE,
  },
  "quorate.quorum.reserve": {
    kind: "gauge",
    unit: "{node}",
    description:
      "Voting nodes minus the quorum, of several lock managers the lowest. At 0, one more failure stops all locks. NaN once all are closed",
    attributes: [],
  },
  "quorate.telemetry.groups.overflow": {
    kind: "counter",
    unit: "{name}",
    description: "Measurements of names beyond the first 100 groups",
    attributes: [],
  },
} as const satisfies Record<string, MetricRow>;

type Metrics = typeof METRICS;
type OfKind = {
  readonly histogram: Histogram;
  readonly counter: Counter;
  readonly upDownCounter: ObservableUpDownCounter;
  readonly gauge: ObservableGauge;
};

/** All metrics, by name. Current states are observed when they are collected. */
export type Instruments = { readonly [name in keyof Metrics]: OfKind[Metrics[name]["kind"]] };

/** Names of all metrics. */
export const METRIC_NAMES = Object.keys(METRICS) as (keyof Metrics)[];

export function instrumentsOf(meter: Meter): Instruments {
  const entries = Object.entries<MetricRow>(METRICS).map(([name, row]) => {
    const { kind, unit, description, boundaries } = row;
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
