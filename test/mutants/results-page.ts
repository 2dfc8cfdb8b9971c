import { barriersOf, patchesOf, type Mutant, type Pair } from "./mutant.js";
import type { Result } from "./run-mutants.js";

/** The table of results as a page of the documentation. */
export function resultsPage(
  catalog: readonly Mutant[],
  results: ReadonlyMap<Mutant, Result>,
): string {
  const killed = catalog.filter((mutant) => runsToKill(results.get(mutant)) !== undefined);
  const others = catalog.filter((mutant) => !killed.includes(mutant));
  const rows = killed.map((mutant) => {
    const { title, seenIn, killer, where } = mutant;
    const files = patchesOf(mutant).map(({ file }) => `\`${file.replace(/\.js$/, "")}\``);
    const planted = "barriers" in mutant ? [...new Set(files)].join(", ") : (files[0] ?? "");
    const places = where.map((place) => (typeof place === "string" ? place : "directed"));
    return row([
      ...[title, seenIn, planted, killer.join(" or ")],
      [...new Set(places)].join(", "),
      String(runsToKill(results.get(mutant))),
    ]);
  });
  return [
    "# Mutants",
    "",
    "Each known bug of the field is planted into a copy of the compiled code, and the simulator runs",
    "it until the oracle that is there for it fires. The unchanged code is clean in the same runs.",
    "`node build/test/mutants/search.js` searches anew and writes this page; the tests replay the",
    "runs that were found.",
    "",
    `Killed: ${killed.length} of ${catalog.length}.`,
    "",
    row(["bug", "seen in", "planted in", "oracle", "scenarios", "runs needed"]),
    row(["---", "---", "---", "---", "---", "--:"]),
    ...rows,
    "",
    ...standingTwice(killed.filter((mutant) => "barriers" in mutant)),
    ...(others.length > 0
      ? ["## Survivors", "", ...others.map(({ title }) => `- ${title}`), ""]
      : []),
  ].join("\n");
}

function standingTwice(pairs: readonly Pair[]): string[] {
  return [
    "## Barriers that stand twice",
    "",
    "Some rules are kept by two barriers. To take out one of them is no bug as long as the other",
    "stands, and nothing must fire; so they are in the table together. The tests run the code without",
    "either of them too, in the very run in which it breaks without both, and a search runs it in",
    "generated scenarios.",
    "",
    ...pairs.flatMap((pair) => [
      `- **${pair.title}** (dies by ${pair.killer.join(" or ")}). What stands, and why it is not missed alone:`,
      ...barriersOf(pair).map(({ title, why }) => `  - *${title}*: ${why}`),
    ]),
    "",
  ];
}

function runsToKill(result: Result | undefined): number | undefined {
  if (result === undefined || "error" in result || result.kill === undefined) return undefined;
  return result.runCount;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
