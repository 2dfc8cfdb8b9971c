import { expect } from "chai";
import { eventTables } from "../../pages/events.js";
import { METRICS, METRIC_NAMES } from "../../src/integrations/opentelemetry/instruments.js";
import { CHANNELS } from "../../src/telemetry/channels.js";

const { channels = "", metrics = "" } = eventTables();

describe("the tables of what operators are told", () => {
  it("have every channel, and how it is subscribed to", () => {
    for (const [name, channel] of Object.entries(CHANNELS)) {
      const row = channels.split("\n").find((line) => line.startsWith(`| \`quorate:${name}\``));
      expect(row, name).to.not.equal(undefined);
      const isTraced = "asyncEnd" in channel;
      expect(row?.includes("a TracingChannel"), name).to.equal(isTraced);
    }
  });

  it("ask Prometheus for metrics by the names that they have there", () => {
    for (const name of METRIC_NAMES) {
      const row = metrics.split("\n").find((line) => line.startsWith(`| \`${name}\``)) ?? "";
      const { kind } = METRICS[name];
      const suffix = { histogram: "_bucket[", counter: "_total[", upDownCounter: ")", gauge: ")" };
      expect(row).to.include(`${name.replaceAll(".", "_")}${suffix[kind]}`);
    }
    // The lowest is the bad one.
    expect(metrics).to.include("histogram_quantile(0.01, sum by (le, at) (rate(quorate_validity");
    expect(metrics).to.include("`min(quorate_quorum_reserve)`");
  });
});
