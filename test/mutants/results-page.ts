import { barriersOf, patchesOf, type Kill, type Mutant, type Pair } from "./mutant.js";

/** @param pins each mutant with the run that kills it, if one does */
export function resultsPage(pins: ReadonlyMap<Mutant, Kill | undefined>): string {
  const catalog = [...pins.keys()];
  const killed = catalog.filter((mutant) => pins.get(mutant) !== undefined);
  const others = catalog.filter((mutant) => !killed.includes(mutant));
  const rows = killed.map((mutant) => {
    const { title, seenIn, killer, where } = mutant;
    const files = patchesOf(mutant).map(({ file }) => `\`${file.replace(/\.js$/, "")}\``);
    const planted = "barriers" in mutant ? [...new Set(files)].join(", ") : (files[0] ?? "");
    const places = where.map((place) => (typeof place === "string" ? place : "directed"));
    return row([
      ...[title, seenIn, planted, killer.join(" or ")],
      [...new Set(places)].join(", "),
      String(runsToKill(mutant, pins.get(mutant))),
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

/** A search runs each seed in all of its places before the next. */
function runsToKill({ where }: Mutant, kill: Kill | undefined): number | undefined {
  return kill && (kill.seed - 1) * where.length + kill.where + 1;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
