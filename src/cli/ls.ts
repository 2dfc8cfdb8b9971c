import { defineCommand, whole } from "./command.js";
import { checkSettings } from "./connect.js";
import { EXIT } from "./exit-codes.js";
import { cellsOf, isStanding, NAME_HEADING, rowsOf, type NameRow } from "./name-rows.js";
import { table } from "./output.js";
import { gapsOf, scanOf, type Scan } from "./scan.js";
import { withFinder } from "./with-finder.js";

/** What `quorate ls --json` prints. */
export interface NameList extends Scan {
  /** In alphabetical order. */
  readonly names: readonly NameRow[];
}

export const ls = defineCommand({
  name: "ls",
  summary: "List locked names",
  synopsis: "[PATTERN] [OPTIONS]",
  words: { min: 0, max: 1, title: "one PATTERN" },
  options: { limit: whole(1, 100_000, { help: "maximum number of names [1000]" }) },
  notes: `
PATTERN is a Redis glob pattern (*, ?, [a-z], \\* for a literal star); quote it for the shell. All nodes
are scanned with SCAN, which blocks them for about half a millisecond at a time, however many keys they
have. Their user needs +scan.
Exits 0 if enough nodes were scanned that no held name can be missing, 69 if not, and 78 if no node permits
scanning.`,
  examples: [
    "quorate ls",
    "quorate ls 'invoice:*' --limit 20",
    "quorate ls --json | jq -r '.names[].name'",
  ],
  async run(call) {
    const { words, values, output } = call;
    const checked = await checkSettings(call);
    return await withFinder(checked, call, async (finder, locks) => {
      const found = await finder.find(words[0] ?? "*", values.limit ?? 1_000);
      const rows = await rowsOf(locks, found.names);
      // Locks that ended meanwhile are left out.
      const list: NameList = { names: rows.filter(isStanding), ...scanOf([found]) };
      if (output.isJson) output.json(list);
      else if (list.names.length > 0) {
        const heading = NAME_HEADING.map((cell) => output.style("dim", cell));
        const { nodeCount } = locks.quorum;
        output.print(table([heading, ...list.names.map((row) => cellsOf(row, nodeCount))]));
      }
      if (list.isCut)
        output.note("there are more names: raise --limit, or give a narrower PATTERN");
      for (const gap of gapsOf(list)) output.note(gap);
      return exitOf(list.isComplete, found.failures);
    });
  },
});

/** A node that is down may come back; one that is misconfigured does not permit it until somebody changes that. */
export function exitOf(
  isComplete: boolean,
  failures: readonly { readonly isMisconfigured: boolean }[],
): number {
  if (isComplete) return EXIT.ok;
  return failures.every(({ isMisconfigured }) => isMisconfigured) ? EXIT.config : EXIT.unavailable;
}
