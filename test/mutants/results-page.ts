import { barriersOf, changesOf, isTested, type Pin, type Row } from "./row.js";

const HEAD = `# Mutants

Each known bug of lock implementations is planted into the sources, and somebody must notice: an oracle of the
simulator, or a test. The unchanged code passes the same runs.

The bugs are rows of the tables in \`test/mutants/tables\`. A row says in which source the bug is planted, the
code that it replaces, what it means, and who must notice. The code is compared token by token with all
sources, in TypeScript or Lua, so layout, comments, types, moved code and renames do not matter. \`npm test\`
plants all of them and replays the run that each row has pinned; where that does not find the bug any more, it
tries 50 others, half of which are the same scenario with other times of its messages.

- \`npm run mutants -- NAME\` does so for those named, and without names for all.
- \`npm run mutants -- --search NAME\` searches all seeds, pins the cheapest run that it finds, and writes this page.
- \`npm run mutants -- --repair\` does so only where a pin does not hold any more, and takes the first run that does.

## Adding one

Add a row to the table of the part of the code that it breaks, and search:

\`\`\`ts
const row = {
  id: "quorum-half",
  means: "a quorum is half of the nodes",
  file: "src/protocol/quorum.ts",
  find: "Math.floor(nodeCount / 2) + 1",
  replace: "Math.max(1, Math.floor(nodeCount / 2))",
  where: ["calm"],
  noticedBy: ["S1"],
  seedBudget: 150,
};
\`\`\`

- \`find\` is any part of the source, without types, that occurs once; \`inside\` names the function or class around
  it where there are several. \`also\` lists further changes without which the bug would not show.
- \`where\` has profiles of the simulator, or scenarios of \`test/mutants/scenarios\` in which the seed only decides
  how long messages take. \`noticedBy\` has the oracles.
- A bug that a test must notice has \`test: "test/protocol/quorum.test.ts"\` instead of these three, and perhaps
  \`grep\`, a part of the titles to run. It needs no search. The test runs within a process that many rows share, so
  what it starts as a process of its own is not broken.
`;

/** @param pins each row with the run in which it was noticed, if there is one */
export function resultsPage(pins: ReadonlyMap<Row, Pin | undefined>): string {
  const all = [...pins.keys()];
  const noticed = all.filter((row) => isTested(row) || pins.get(row) !== undefined);
  const others = all.filter((row) => !noticed.includes(row));
  return [
    HEAD,
    "## All of them",
    "",
    `Noticed: ${noticed.length} of ${all.length}.`,
    "",
    line(["bug", "seen in", "planted in", "noticed by", "scenario", "seed"]),
    line(["---", "---", "---", "---", "---", "--:"]),
    ...noticed.map((row) => lineOf(row, pins.get(row))),
    "",
    ...behindTwoChecks(noticed),
    ...(others.length > 0
      ? ["## Not noticed", "", ...others.map(({ means }) => `- ${means}`), ""]
      : []),
  ].join("\n");
}

function lineOf(row: Row, pin: Pin | undefined): string {
  const files = changesOf(row).map(({ file }) => `\`${file}\``);
  const planted = "barriers" in row ? [...new Set(files)].join(", ") : (files[0] ?? "");
  const what = [row.means, row.seenIn ?? "", planted];
  if (isTested(row)) return line([...what, `\`${row.test}\``, "", ""]);
  const place = pin === undefined ? undefined : row.where[pin.where];
  const scenario = typeof place === "string" ? place : "directed";
  return line([...what, row.noticedBy.join(" or "), scenario, String(pin?.seed ?? "")]);
}

function behindTwoChecks(rows: readonly Row[]): string[] {
  return [
    "## Bugs behind two checks",
    "",
    "Two independent checks protect some rules. Removing one of them is not a bug while the other works, and no oracle",
    "may fire, so the table removes both. The tests also run the code without either one, in the same run that",
    "breaks without both, and a search does so in generated scenarios.",
    "",
    ...rows
      .filter((row) => "barriers" in row)
      .flatMap((row) => [
        `- **${row.means}** (noticed by ${whoNotices(row)}). The two checks, and why one is enough:`,
        ...barriersOf(row).map(({ title, why }) => `  - *${title}*: ${why}`),
      ]),
    "",
  ];
}

/** Who must notice, in words. */
export function whoNotices(row: Row): string {
  return isTested(row) ? row.test : row.noticedBy.join(" or ");
}

function line(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
