import { metrics, trace } from "@opentelemetry/api";
import { boolean, checkKnown, show } from "../validate.js";
import { groupByPrefix, Groups } from "./groups.js";
import { measure } from "./metrics.js";
import { traceLocks } from "./spans.js";
import { Subscriptions } from "./subscriptions.js";

/** Options of {@link instrumentQuorate}. */
export interface InstrumentOptions {
  /**
   * Maps a lock's name (of several, the first) to its group, the only part of it that becomes an attribute of a
   * metric. The first 100 groups are kept apart; the others are `other`, as are names for which the function
   * throws or does not return a string. Full names only appear in spans.
   * @defaultValue the name up to its first `:`, `/` or `.`
   */
  readonly group?: ((name: string) => string) | undefined;
  /** Whether spans are made. @defaultValue true */
  readonly spans?: boolean | undefined;
  /** Whether metrics are recorded. @defaultValue true */
  readonly metrics?: boolean | undefined;
}

let current: Subscriptions | undefined;

/**
 * Makes OpenTelemetry metrics and spans of what all lock managers of this process do, by the global providers of
 * `@opentelemetry/api`: call it when your SDK has been started. Another call replaces what this one has set up.
 *
 * @returns ends it, unless another call has replaced it meanwhile
 * @throws TypeError for bad options, naming the option and the value
 */
export function instrumentQuorate(options: InstrumentOptions = {}): () => void {
  checkKnown(options, ["group", "spans", "metrics"]);
  const { group = groupByPrefix } = options;
  const hasSpans = boolean("spans", options.spans ?? true);
  const hasMetrics = boolean("metrics", options.metrics ?? true);
  if (typeof group !== "function") {
    throw new TypeError(`\`group\` must be a function, got ${show(group)}`);
  }
  current?.end();
  const subscriptions = new Subscriptions();
  current = subscriptions;
  const groups = new Groups(group);
  if (hasMetrics) measure(metrics.getMeter("quorate"), groups, subscriptions);
  if (hasSpans) traceLocks(trace.getTracer("quorate"), groups, subscriptions);
  return () => {
    subscriptions.end();
    if (current === subscriptions) current = undefined;
  };
}
