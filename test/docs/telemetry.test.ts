import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { METRIC_NAMES } from "../../src/integrations/opentelemetry/instruments.js";
import { CHANNELS } from "../../src/telemetry/channels.js";
import { root } from "./project.js";

const read = (path: string): string => readFileSync(join(root, "docs", "operate", path), "utf8");

describe("docs/operate/telemetry.md", () => {
  it("names every channel and every metric", () => {
    const page = read("telemetry.md");
    for (const name of METRIC_NAMES) expect(page, name).to.include(`\`${name}\``);
    for (const name of Object.keys(CHANNELS)) expect(page, name).to.include(`\`quorate:${name}\``);
    const named = page.match(/`quorate\.[a-z.]+`/g) ?? [];
    // And an attribute of spans.
    const known = new Set<string>([
      "`quorate.names`",
      ...METRIC_NAMES.map((name) => `\`${name}\``),
    ]);
    for (const name of named) expect(known.has(name), name).to.equal(true);
  });
});
