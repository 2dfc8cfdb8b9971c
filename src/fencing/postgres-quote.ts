import { string } from "../validate.js";

/** A query as `pg` and most other clients take it: `await client.query(query)`. */
export interface SqlQuery {
  readonly text: string;
  /** Of `$1`, `$2` ... in the text. */
  readonly values: unknown[];
}

/** Columns and their values. A value may be whatever the client takes, but not undefined. */
export type Columns = Readonly<Record<string, unknown>>;

/** The name of a table or column, so that it is nothing else in SQL, whatever is in it. */
export function quoted(option: string, name: string): string {
  if (string(option, name) === "" || name.includes("\0")) {
    throw new RangeError(`\`${option}\` must be an SQL name, got ${JSON.stringify(name)}`);
  }
  return `"${name.replaceAll('"', '""')}"`;
}

/** Checks columns that are needed, and quotes their names. */
export function quotedColumns(option: string, columns: Columns, fenceColumn: string): string[] {
  const names = Object.keys(columns);
  if (names.length === 0) throw new RangeError(`\`${option}\` must name at least one column`);
  for (const name of names) {
    if (name === fenceColumn) {
      throw new RangeError(`\`${option}\` must not name the fence column \`${name}\``);
    }
    if (columns[name] === undefined) {
      throw new TypeError(`\`${option}.${name}\` must have a value, got undefined`);
    }
  }
  return names.map((name) => quoted(option, name));
}
