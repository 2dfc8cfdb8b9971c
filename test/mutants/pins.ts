import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./broken-code.js";
import type { Pin } from "./row.js";

/**
 * The text of a table with another pin in one of its rows, or without it.
 * @throws Error if it has no such row
 */
export function withPin(table: string, id: string, pin: Pin | undefined): string {
  const start = table.indexOf(`\n    id: ${JSON.stringify(id)},\n`);
  const end = table.indexOf("\n  },", start);
  if (start < 0 || end < 0) throw new Error(`no row ${id}`);
  const bare = table.slice(start, end).replace(/\n {4}pin: \{[^}]*\},/, "");
  if (pin === undefined) return table.slice(0, start) + bare + table.slice(end);
  const { where, seed, timing, ms } = pin;
  const times = timing === undefined ? "" : ` timing: ${timing},`;
  const line = `\n    pin: { where: ${where}, seed: ${seed},${times} ms: ${ms} },`;
  return table.slice(0, start) + bare + line + table.slice(end);
}

/** Writes a pin into the table of this name. */
export function writePin(table: string, id: string, pin: Pin | undefined): void {
  const path = join(ROOT, `test/mutants/tables/${table}.ts`);
  writeFileSync(path, withPin(readFileSync(path, "utf8"), id, pin));
}
