import type { Mutant } from "./mutant.js";
import type { Result } from "./run-mutants.js";

/** The table of results as a page of the documentation. */
export function resultsPage(
  catalog: readonly Mutant[],
  results: ReadonlyMap<Mutant, Result>,
): string {
  const killed = catalog.filter((mutant) => runsToKill(results.get(mutant)) !== undefined);
  const others = catalog.filter((mutant) => !killed.includes(mutant));
  const rows = killed.map((mutant) => {
    const { title, seenIn, file, killer, where } = mutant;
    const places = where.map((place) => (typeof place === "string" ? place : "directed"));
    const cells = [title, seenIn, `\`${file.replace(/\.js$/, "")}\``, killer.join(" or ")];
    return row([
      ...cells,
      [...new Set(places)].join(", "),
      String(runsToKill(results.get(mutant))),
    ]);
  });
  const survivors = others.map(
    ({ title, survives }) => `- **${title}**: ${survives ?? "not explained yet"}`,
  );
  return [
    "# Mutants",
    "",
    "Each known bug of the field is planted into a copy of the compiled code, and the simulator runs",
    "it until the oracle that is there for it fires. The unchanged code is clean in the same runs.",
    "`node build/test/mutants/search.js` searches anew and writes this page; the tests replay the",
    "runs that were found.",
    "",
    row(["bug", "seen in", "planted in", "oracle", "scenarios", "runs needed"]),
    row(["---", "---", "---", "---", "---", "--:"]),
    ...rows,
    "",
    ...(survivors.length > 0
      ? ["## Survivors", "", "No oracle finds these, and why:", "", ...survivors, ""]
      : []),
  ].join("\n");
}

function runsToKill(result: Result | undefined): number | undefined {
  if (result === undefined || "error" in result || result.kill === undefined) return undefined;
  return result.runCount;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
