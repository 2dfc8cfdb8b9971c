import type { FoundNames } from "../operator/find-names.js";
import type { LockManager, NodeStatus, QuorumStatus } from "../index.js";
import { defineCommand, duration } from "./command.js";
import { checkNames, checkSettings } from "./connect.js";
import { EXIT } from "./exit-codes.js";
import { cellsOf, isStanding, NAME_HEADING, rowsOf, type NameRow } from "./name-rows.js";
import { printable, table } from "./output.js";
import { gapsOf, scanOf, type Scan } from "./scan.js";
import { pause, untilSignal } from "./until-signal.js";
import { withFinder } from "./with-finder.js";

/** What `quorate watch --json` prints, one line per tick. */
export interface Tick extends Scan {
  /** Wall clock, ms since 1970. */
  readonly atMs: number;
  readonly quorum: QuorumStatus;
  readonly nodes: readonly NodeStatus[];
  readonly names: readonly NameRow[];
}

/** Maximum number of names per pattern. */
const LIMIT = 1_000;

export const watch = defineCommand({
  name: "watch",
  summary: "Show names and nodes as they change",
  synopsis: "[NAME|PATTERN...] [OPTIONS]",
  words: { min: 0, max: 100, title: "up to 100 names or patterns" },
  options: { interval: duration(100, { help: "refresh interval [1s]" }) },
  notes: `
Names are shown even while they are free. For PATTERNs (with *, ? or [, as in \`quorate ls\`; * by
default), the locked names are shown. Ends with ctrl-C. If stdout is not a terminal, it prints one line per
name and interval, starting with the time; with --json, one object per interval.`,
  examples: [
    "quorate watch",
    "quorate watch nightly 'invoice:*'",
    "quorate watch --json >> locks.jsonl",
  ],
  async run(call) {
    const { words, values, output } = call;
    const given = words.length === 0 ? ["*"] : words;
    const patterns = given.filter((word) => /[*?[]/.test(word));
    const names = given.filter((word) => !patterns.includes(word));
    const checked = await checkSettings(call);
    await checkNames(checked, names);
    const { screen } = output;
    await withFinder(checked, call, async (finder, locks) => {
      const leave = screen === undefined ? () => {} : enterScreen(screen);
      try {
        await untilSignal(async (signal) => {
          while (!signal.aborted && output.isRead) {
            const found = await Promise.all(patterns.map((each) => finder.find(each, LIMIT)));
            const tick = await look(locks, names, found);
            if (signal.aborted) break;
            if (output.isJson) output.json(tick);
            else if (screen === undefined) for (const line of linesOf(tick)) output.print(line);
            else screen.write(screenful(tick, screen));
            await pause(values.interval ?? 1_000, signal);
          }
        });
      } finally {
        leave();
      }
    });
    return EXIT.ok;
  },
});

async function look(
  locks: LockManager,
  given: readonly string[],
  found: readonly FoundNames[],
): Promise<Tick> {
  const matching = new Set(found.flatMap(({ names }) => names));
  for (const name of given) matching.delete(name);
  const rows = await rowsOf(locks, [...given, ...[...matching].toSorted()]);
  return {
    atMs: Date.now(),
    quorum: locks.quorum,
    nodes: locks.nodes,
    names: rows.filter((row, index) => isStanding(row) || index < given.length),
    ...scanOf(found),
  };
}

/** Where there is no terminal. That there are no locks, only a complete scan can say. */
export function linesOf({ atMs, quorum, names, ...scan }: Tick): readonly string[] {
  const { votes, nodeCount } = quorum;
  const lines = names.map((row) => cellsOf(row, nodeCount).join("  "));
  if (!scan.isComplete) lines.push(...gapsOf(scan));
  else if (names.length === 0) lines.push(`${votes} of ${nodeCount} nodes vote, no locks`);
  const time = new Date(atMs).toISOString();
  return lines.map((line) => `${time}  ${line}`);
}

/** What fits on the screen. */
function screenful(tick: Tick, screen: NodeJS.WriteStream): string {
  // A terminal that does not know its size says 0.
  const lines = screenOf(tick, screen.columns || 80, screen.rows || 24);
  return `${HOME}${lines.map((line) => line + CLEAR_LINE).join("\n")}${CLEAR_REST}`;
}

/** Of at most that size, in characters. */
export function screenOf(tick: Tick, columns: number, rows: number): readonly string[] {
  const { atMs, quorum, nodes, names, isCut, isComplete } = tick;
  const { votes, nodeCount, size } = quorum;
  const away = nodes.filter(({ state }) => state !== "ready");
  const head = [
    `${new Date(atMs).toLocaleTimeString()}  ${votes} of ${nodeCount} nodes vote, ${size} are needed`,
    ...away.map(({ node, state, detail }) => printable(`${node} is ${state}: ${detail}`)),
    ...(isComplete ? [] : gapsOf(tick)),
    "",
  ];
  const body = table([NAME_HEADING, ...names.map((row) => cellsOf(row, nodeCount))]).split("\n");
  const all = [...head, ...body, ...(isCut ? ["..."] : [])];
  const shown =
    all.length < rows
      ? all
      : [...all.slice(0, rows - 2), `... ${all.length - rows + 2} more lines`];
  return shown.map((line) => Array.from(line).slice(0, columns).join(""));
}

const HOME = "\u001B[H";
const CLEAR_LINE = "\u001B[K";
const CLEAR_REST = "\u001B[J";
/** Switches to the terminal's alternate screen, without a cursor; and back. */
const [ENTER, LEAVE] = ["\u001B[?1049h\u001B[?25l", "\u001B[?25h\u001B[?1049l"];

/** @returns a function that restores the terminal */
function enterScreen(screen: NodeJS.WriteStream): () => void {
  screen.write(ENTER);
  return () => void screen.write(LEAVE);
}
