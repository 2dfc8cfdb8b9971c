import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { METRIC_NAMES } from "../../src/integrations/opentelemetry/instruments.js";
import { root } from "./project.js";

const read = (path: string): string => readFileSync(join(root, "docs", "operate", path), "utf8");

/** As Prometheus has them. A histogram is three. */
const IN_PROMETHEUS = new Set(
  METRIC_NAMES.flatMap((name) => {
    const plain = name.replaceAll(".", "_");
    return [plain, ...["bucket", "count", "sum", "total"].map((part) => `${plain}_${part}`)];
  }),
);

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { expr: string }[];
  }[];
}

const metricsIn = (text: string): string[] => text.match(/\bquorate_[a-z_]+\b/g) ?? [];

describe("The dashboard and the alerts", () => {
  const { panels } = JSON.parse(read("grafana/quorate.json")) as Dashboard;
  const alerts = read("grafana/alerts.yml");

  it("ask for metrics that there are", () => {
    const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    const asked = [...expressions, ...alerts.split("\n").filter((line) => !line.startsWith("#"))];
    const names = asked.flatMap(metricsIn);
    expect(new Set(names).size).to.be.above(7);
    for (const name of names) expect(IN_PROMETHEUS.has(name), name).to.equal(true);
  });

  it("would be found out if a metric were called something else", () => {
    expect(
      metricsIn("rate(quorate_votes_totals[5m])").every((name) => IN_PROMETHEUS.has(name)),
    ).to.equal(false);
  });

  it("show eight panels, each of one or two expressions, and six alerts", () => {
    expect(panels).to.have.length(8);
    for (const { title, targets } of panels) expect(targets.length, title).to.be.within(1, 2);
    expect(alerts.match(/^ +- alert: \w+$/gm)).to.have.length(6);
  });
});
