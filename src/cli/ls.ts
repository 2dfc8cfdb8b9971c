import { defineCommand, whole } from "./command.js";
import { checkSettings } from "./connect.js";
import { EXIT } from "./exit-codes.js";
import { cellsOf, isStanding, NAME_HEADING, rowsOf, type NameRow } from "./name-rows.js";
import { printable, table } from "./output.js";
import { withFinder } from "./with-finder.js";

/** What `quorate ls --json` prints. */
export interface NameList {
  /** In alphabetical order. */
  readonly names: readonly NameRow[];
  /** There are more names. */
  readonly isCut: boolean;
  /** Enough nodes were scanned that no held name can be missing. */
  readonly isComplete: boolean;
  /** Nodes that could not be scanned, and why. */
  readonly failures: readonly { readonly node: string; readonly message: string }[];
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
      const { failures, names, ...found } = await finder.find(
        words[0] ?? "*",
        values.limit ?? 1_000,
      );
      const rows = await rowsOf(locks, names);
      const list: NameList = {
        // Locks that ended meanwhile are left out.
        names: rows.filter(isStanding),
        ...found,
        failures: failures.map(({ node, message }) => ({ node, message })),
      };
      if (output.isJson) output.json(list);
      else if (list.names.length > 0) {
        const heading = NAME_HEADING.map((cell) => output.style("dim", cell));
        const { nodeCount } = locks.quorum;
        output.print(table([heading, ...list.names.map((row) => cellsOf(row, nodeCount))]));
      }
      if (list.isCut)
        output.note("there are more names: raise --limit, or give a narrower PATTERN");
      for (const { node, message } of failures) {
        output.note(`${node} was not scanned: ${printable(message)}`);
      }
      if (!list.isComplete) output.note("too few nodes were scanned: held names may be missing");
      return exitOf(list.isComplete, failures);
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
