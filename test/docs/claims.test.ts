import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { parseArguments as parseBench } from "../../bench/arguments.js";
import { parseArguments as parseCompare } from "../../bench/compare/arguments.js";
import { parseArguments as parseChaos } from "../../chaos/arguments.js";
import { parseSimulateArguments } from "../../sim/cli/simulate-arguments.js";
import { OPTIONS } from "../../src/options/table.js";
import { fencesOf } from "./markdown.js";
import { pages, root } from "./project.js";

const read = (page: string): string => readFileSync(join(root, page), "utf8");
const manual = pages.filter((page) => page === "README.md" || page.startsWith("docs/"));

/** A twentieth of the default ttl. */
const NODE_TIMEOUT_MS = OPTIONS.ttlMs.byDefault / 20;
const DEFAULTS: Readonly<Record<string, number>> = {
  ttlMs: OPTIONS.ttlMs.byDefault,
  waitMs: OPTIONS.waitMs.byDefault,
  maxTtlMs: OPTIONS.maxTtlMs.byDefault,
  clockStepMs: OPTIONS.clockStepMs.byDefault,
  lossGraceMs: OPTIONS.lossGraceMs.byDefault,
  nodeTimeoutMs: NODE_TIMEOUT_MS,
  "retry.minDelayMs": OPTIONS.retry.byDefault.minDelayMs,
  "retry.maxDelayMs": OPTIONS.retry.byDefault.maxDelayMs,
  "ttlMs + clockStepMs": OPTIONS.ttlMs.byDefault + OPTIONS.clockStepMs.byDefault,
};

/** Of `npm run NAME -- ARGUMENTS`: they throw for what the tool does not know. */
const TOOLS: Readonly<Record<string, (args: readonly string[]) => unknown>> = {
  simulate: parseSimulateArguments,
  chaos: parseChaos,
  bench: parseBench,
  compare: parseCompare,
};

/** As they stand in code; N stands for a number. `--hash` is another program. */
function toolCallsIn(text: string): [tool: string, args: string[]][] {
  const pattern = /\bnpm run (simulate|chaos|bench|compare) -- (?!--hash\b)([^`#|\n]+)/g;
  return [...text.matchAll(pattern)].map(([, tool = "", args = ""]) => [
    tool,
    args.trim().replaceAll(/ N\b/g, " 1").split(/\s+/),
  ]);
}

/** Such as "`clockStepMs` (5 s by default)": the option, or a sum of two, and the value in ms. */
function defaultsIn(text: string): [option: string, ms: number, line: string][] {
  const plain = text.replaceAll(/\]\([^)]*\)/g, "").replaceAll("[", "");
  const pattern = /(?:`([\w.]+)` \+\s+)?`([\w.]+Ms)`\s\((\d+) (ms|s)(?: by default)?\)/g;
  return [...plain.matchAll(pattern)].map(([line, first, second = "", number, unit]) => [
    first === undefined ? second : `${first} + ${second}`,
    Number(number) * (unit === "s" ? 1_000 : 1),
    line,
  ]);
}

describe("what the manual says in passing", () => {
  it("gives options the defaults that they have", () => {
    let count = 0;
    for (const page of manual) {
      for (const [option, ms, line] of defaultsIn(read(page))) {
        if (!(option in DEFAULTS)) continue;
        expect(ms, `${page}: ${line}`).to.equal(DEFAULTS[option]);
        count++;
      }
    }
    expect(count).to.be.above(15);
    expect(
      defaultsIn("`ttlMs` +\n[`clockStepMs`](a.md) (15 s), `waitMs` (3 s by default)"),
    ).to.have.deep.members([
      ["ttlMs + clockStepMs", 15_000, "`ttlMs` +\n`clockStepMs` (15 s)"],
      ["waitMs", 3_000, "`waitMs` (3 s by default)"],
    ]);
  });

  it("calls the tools of the repository by arguments that they know", () => {
    const calls = pages.flatMap((page) =>
      toolCallsIn(read(page)).map((call) => [page, call] as const),
    );
    expect(calls.length).to.be.above(25);
    for (const [page, [tool, args]] of calls) {
      expect(() => TOOLS[tool]?.(args), `${page}: ${tool} ${args.join(" ")}`).to.not.throw();
    }
    expect(() => TOOLS["simulate"]?.(["--profile", "calmer"])).to.throw("calmer");
    expect(() => TOOLS["chaos"]?.(["--plant", "no-nothing"])).to.throw("no-nothing");
  });

  it("counts the libraries that return a lock too late as the comparison does", () => {
    const row = read("docs/explain/comparison.md")
      .split("\n")
      .find((line) => line.includes("#late-quorum)"));
    const [, quorate, ...others] = row?.split(" | ").slice(0, -1) ?? [];
    expect(quorate).to.match(/^refused/);
    const words = ["none", "one", "two", "three", "four"];
    const late = others.filter((cell) => cell.startsWith("granted")).length;
    const claim = `${words[late]} of ${words[others.length]} other libraries`;
    const text = read("docs/explain/redlock-debate.md").toLowerCase().replaceAll(/\s+/g, " ");
    expect(text).to.include(claim);
  });

  it("compares with the versions, and under as many faults, as the comparison was made", () => {
    const text = read("docs/explain/alternatives.md");
    const comparison = read("docs/explain/comparison.md");
    const faults = comparison.match(/^\| \[/gm)?.length;
    expect(text).to.include(`under ${faults} faults`);
    const versions = [...text.matchAll(/ \| ([a-z-]+ \d[\w.-]+)/g)].map(([, version]) => version);
    expect(versions).to.have.length(3);
    for (const version of versions) expect(comparison).to.include(version);
  });

  it("says that the package is not on npm, as long as it is not", () => {
    const isUnreleased = /^## Unreleased: /m.test(read("CHANGELOG.md"));
    const installing = pages.filter((page) =>
      /npm (?:i|install) (?:-\S+ )*(?:\.\/)?quorate\b/.test(read(page)),
    );
    expect(installing).to.include.members(["README.md", "docs/start/twenty-minutes.md"]);
    for (const page of installing) {
      expect(/not on npm/.test(read(page)), page).to.equal(isUnreleased);
    }
  });

  it("never locks the address of a request, which has a query that goes around the exclusion", () => {
    const code = [
      ...pages.flatMap((page) => fencesOf(join(root, page)).map((fence) => fence.code)),
      ...readdirSync(join(root, "examples"))
        .filter((name) => name.endsWith(".ts"))
        .map((name) => read(join("examples", name))),
    ];
    const locked =
      /(?:request|[aA]cquire)\((?:`[^`]*\$\{)?(?:request|req)\.url|lock: \(\{ url \}\) => url\b/;
    expect(code.filter((text) => locked.test(text))).to.deep.equal([]);
    expect(locked.test("locks.request(`order:${request.url}`, () => {})")).to.equal(true);
  });

  it("waits a little in each scheduled job, so that an outage of a moment skips no run", () => {
    const code = pages.flatMap((page) => fencesOf(join(root, page)).map((fence) => fence.code));
    const jobs = code.flatMap((text) => text.match(/\{[^{}]*\bminHoldMs: [^{}]*\}/g) ?? []);
    expect(jobs).to.have.length.above(3);
    for (const options of jobs) expect(options).to.include("waitMs: ");
  });
});
