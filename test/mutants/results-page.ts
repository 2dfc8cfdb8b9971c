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
    "Each known bug of lock implementations is planted into a copy of the compiled code. The simulator then runs",
    "it until the oracle for that bug fires. The unchanged code passes the same runs.",
    "`node build/test/mutants/search.js` repeats the search and writes this page; the tests replay the runs that",
    "it found.",
    "",
    `Killed: ${killed.length} of ${catalog.length}.`,
    "",
    row(["bug", "seen in", "planted in", "oracle", "scenarios", "runs needed"]),
    row(["---", "---", "---", "---", "---", "--:"]),
    ...rows,
    "",
    ...behindTwoChecks(killed.filter((mutant) => "barriers" in mutant)),
    ...(others.length > 0
      ? ["## Survivors", "", ...others.map(({ title }) => `- ${title}`), ""]
      : []),
  ].join("\n");
}

function behindTwoChecks(pairs: readonly Pair[]): string[] {
  return [
    "## Bugs behind two checks",
    "",
    "Two independent checks protect some rules. Removing one of them is not a bug while the other works, and no oracle",
    "may fire, so the table removes both. The tests also run the code without either one, in the same run that",
    "breaks without both, and a search does so in generated scenarios.",
    "",
    ...pairs.flatMap((pair) => [
      `- **${pair.title}** (found by ${pair.killer.join(" or ")}). The two checks, and why one is enough:`,
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
