import { checkObject, string } from "../runtime/validate.js";

/** A query as `pg` and most other clients accept it: `await client.query(query)`. */
export interface SqlQuery {
  readonly text: string;
  /** Values of the parameters `$1`, `$2`, ... in the text. */
  readonly values: unknown[];
}

/** Values by column name: anything that the client accepts, except undefined. */
export type Columns = Readonly<Record<string, unknown>>;

/** Quotes the name of a table or column, so that SQL reads it as a name whatever it contains. */
export function quoted(option: string, name: string): string {
  if (string(option, name) === "" || name.includes("\0")) {
    throw new RangeError(`\`${option}\` must be an SQL name, got ${JSON.stringify(name)}`);
  }
  return `"${name.replaceAll('"', '""')}"`;
}

/** Checks that there are columns and that each has a value, and quotes their names. */
export function quotedColumns(option: string, columns: Columns, fenceColumn: string): string[] {
  checkObject(`\`${option}\``, columns, "an object of columns and values");
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
