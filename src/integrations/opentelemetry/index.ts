import { metrics, trace } from "@opentelemetry/api";
import { boolean, checkKnown, show } from "../../runtime/validate.js";
import { groupByPrefix, Groups } from "./groups.js";
import { measure } from "./metrics.js";
import { traceLocks } from "./spans.js";
import { Subscriptions } from "./subscriptions.js";

/** Options of {@link instrumentQuorate}. */
export interface InstrumentOptions {
  /**
   * Maps a lock's name (of several names, the first) to its group, which is the only part of the name in the attributes
   * of metrics. The first 100 groups are distinguished; all others are `other`, as are names for which the function
   * throws or does not return a string. Full names appear only in spans.
   * @defaultValue the name up to its first `:`, `/` or `.`
   */
  readonly group?: ((name: string) => string) | undefined;
  /** Whether spans are created. @defaultValue true */
  readonly spans?: boolean | undefined;
  /** Whether metrics are recorded. @defaultValue true */
  readonly metrics?: boolean | undefined;
}

let current: Subscriptions | undefined;

/**
 * Records metrics and spans of all lock managers of this process, through the global providers of `@opentelemetry/api`.
 * Call it after you have started your SDK. A second call replaces the instrumentation of the first.
 *
 * @returns a function that ends this instrumentation; without effect if another call has replaced it
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
