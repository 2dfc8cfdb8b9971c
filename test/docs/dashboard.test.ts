import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parser } from "@prometheus-io/lezer-promql";
import { expect } from "chai";
import { METRIC_NAMES } from "../../src/integrations/opentelemetry/instruments.js";
import { anchorsOf } from "./markdown.js";
import { root } from "./project.js";
import { typeCheck } from "./type-check.js";

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

/** Of the file, which has one form: nobody but us writes it. */
interface Alert {
  readonly name: string;
  readonly expr: string;
  readonly isFor: string;
  readonly severity: string;
  readonly runbook: string;
}

function alertsIn(yaml: string): Alert[] {
  return yaml
    .split(/^ +- alert: /m)
    .slice(1)
    .map((text) => ({
      name: text.slice(0, text.indexOf("\n")),
      expr: /^ +expr: (?:\|\n)?([^]*?)^ +(?:for|labels):/m.exec(text)?.[1]?.trim() ?? "",
      isFor: /^ +for: (\w+)$/m.exec(text)?.[1] ?? "at once",
      severity: /severity: (\w+)/.exec(text)?.[1] ?? "",
      runbook: /^ +runbook: (\S+)$/m.exec(text)?.[1] ?? "",
    }));
}

/** The schema of Grafana's dashboards as types, whose enums are plain text in a file. */
const SCHEMA = `
import type { Dashboard, Panel } from "@grafana/grafana-foundation-sdk/dashboard";
import type { Dataquery } from "@grafana/grafana-foundation-sdk/prometheus";
import type { Options } from "@grafana/grafana-foundation-sdk/timeseries";
type Plain<T> = T extends string ? \`\${T}\`
  : T extends number ? (\`\${T}\` extends \`\${infer N extends number}\` ? N : never)
  : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;
type Legend = Partial<Options["legend"]>;
type Tooltip = Partial<Options["tooltip"]>;
interface TimeSeries extends Omit<Panel, "type" | "targets" | "options"> {
  type: "timeseries";
  targets: Omit<Dataquery, "_implementsDataqueryVariant">[];
  options: Omit<Options, "legend" | "tooltip"> & { legend: Legend; tooltip: Tooltip };
}
export const board: Plain<Omit<Dashboard, "panels"> & { panels: TimeSeries[] }> =
`;

const metricsIn = (text: string): string[] => text.match(/\bquorate_[a-z_]+\b/g) ?? [];

/** Where PromQL cannot be parsed; undefined if it can. `$__rate_interval` is Grafana's. */
function syntaxErrorIn(expr: string): string | undefined {
  let found: string | undefined;
  const plain = expr.replaceAll("$__rate_interval", "5m");
  parser.parse(plain).iterate({
    enter: ({ type, from }) => {
      if (type.isError) found ??= `${plain.slice(0, from)} <here> ${plain.slice(from)}`;
    },
  });
  return found;
}

describe("The dashboard and the alerts", function () {
  this.timeout(120_000);
  const json = read("grafana/quorate.json");
  const { panels } = JSON.parse(json) as Dashboard;
  const alerts = alertsIn(read("grafana/alerts.yml"));
  const expressions = [
    ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...alerts.map(({ expr }) => expr),
  ];

  it("ask for metrics that exist", () => {
    const names = expressions.flatMap(metricsIn);
    expect(new Set(names).size).to.be.above(7);
    for (const name of names) expect(IN_PROMETHEUS.has(name), name).to.equal(true);
    expect(
      metricsIn("rate(quorate_votes_totals[5m])").map((name) => IN_PROMETHEUS.has(name)),
    ).to.deep.equal([false]);
  });

  it("are in PromQL", () => {
    for (const expr of expressions) expect(syntaxErrorIn(expr), expr).to.equal(undefined);
    expect(syntaxErrorIn("sum by (le (rate(quorate_waiting[5m])))")).to.be.a("string");
  });

  it("show eight panels, each of one or two expressions", () => {
    expect(panels).to.have.length(8);
    for (const { title, targets } of panels) expect(targets.length, title).to.be.within(1, 2);
  });

  it("have the form that Grafana's own types give a dashboard", () => {
    const texts = [
      json,
      json.replace('"legendFormat"', '"legend"'),
      json.replace('"multi"', '"most"'),
    ];
    const errors = typeCheck(
      texts.map((text, at) => ({ page: `${at}.json`, line: 1, code: `${SCHEMA}${text};` })),
    );
    expect(errors.map((error) => error.split(":")[0])).to.have.members(["1.json", "2.json"]);
  });

  it("fire on what they are for, as Prometheus itself evaluates them", function () {
    const rules = join(root, "test", "docs", "alerts.promtool.yml");
    const { error, stdout, stderr } = spawnSync("promtool", ["test", "rules", rules], {
      encoding: "utf8",
    });
    if (error !== undefined) return this.skip();
    expect(stdout + stderr)
      .to.include("SUCCESS")
      .and.not.include("FAILED");
    for (const { name } of alerts) expect(readFileSync(rules, "utf8")).to.include(name);
  });

  it("are explained: each alert with its time and severity, and what to do", () => {
    const rows = [
      ...read("alerts.md").matchAll(
        /^\| <a id="(\w+)"><\/a>(\w+) \| [^|]+ \| ([^|]+) \| (\w+) \| [^|]+ \|$/gm,
      ),
    ];
    expect(rows.map(([, , name, isFor, severity]) => ({ name, isFor, severity }))).to.deep.equal(
      alerts.map(({ name, isFor, severity }) => ({ name, isFor, severity })),
    );
    const anchors = anchorsOf(join(root, "docs", "operate", "alerts.md"));
    for (const { name, runbook } of alerts) {
      expect(runbook).to.equal(`docs/operate/alerts.md#${name.toLowerCase()}`);
      expect(anchors).to.include(name.toLowerCase());
    }
  });
});
