import { checkKnown, show } from "../validate.js";
import { StaleTokenError } from "./errors.js";
import { checkGrant, type Grant } from "./grant.js";
import { quoted, quotedColumns, type Columns, type SqlQuery } from "./postgres-quote.js";

/** A row that carries its own fence, in a column `BIGINT NOT NULL DEFAULT 0`. */
export interface FencedRow {
  readonly table: string;
  /** Default: what the connection's `search_path` finds. */
  readonly schema?: string;
  /** Which row: columns that together are its primary key, or are unique in another way. */
  readonly key: Columns;
  /** Values of the row. */
  readonly set: Columns;
  /** Column of the fence. Default: `"fence"`. */
  readonly fenceColumn?: string;
}

/**
 * `UPDATE ... SET ..., fence = $n WHERE key AND fence <= $n`: writes if the row has not been written
 * under a larger token. No row is changed if it has, and none if there is no such row.
 *
 * One statement is atomic: an update that waits for another transaction's row looks at the fence
 * again when that one has committed.
 *
 * @throws TypeError, RangeError for a grant without a good token, or columns without values
 */
export function fencedUpdate(grant: Grant, row: FencedRow): SqlQuery {
  const { table, fence, keys, sets, values } = parts(grant, row);
  const assigned = sets.map((name, index) => `${name} = $${index + 1}`);
  const tokenAt = `$${values.length}::bigint`;
  const matched = keys.map((name, index) => `${name} = $${sets.length + index + 1}`);
  const text =
    `UPDATE ${table} SET ${[...assigned, `${fence} = ${tokenAt}`].join(", ")}` +
    ` WHERE ${[...matched, `${fence} <= ${tokenAt}`].join(" AND ")}`;
  return { text, values };
}

/**
 * `INSERT ... ON CONFLICT (key) DO UPDATE ... WHERE fence <= excluded.fence`: writes the row, new or
 * not, if it has not been written under a larger token. No row is changed only if it has.
 *
 * @throws TypeError, RangeError for a grant without a good token, or columns without values
 */
export function fencedUpsert(grant: Grant, row: FencedRow): SqlQuery {
  const { table, fence, keys, sets, values } = parts(grant, row);
  const columns = [...sets, ...keys, fence];
  const places = columns.map((_, index) => `$${index + 1}`);
  const assigned = [...sets, fence].map((name) => `${name} = excluded.${name}`);
  const text =
    `INSERT INTO ${table} AS stored (${columns.join(", ")}) VALUES (${places.join(", ")})` +
    ` ON CONFLICT (${keys.join(", ")}) DO UPDATE SET ${assigned.join(", ")}` +
    ` WHERE stored.${fence} <= excluded.${fence}`;
  return { text, values };
}

/**
 * Detects a refused write by the number of rows that it changed.
 *
 * @throws StaleTokenError if that is 0. A {@link fencedUpdate} of a row that does not exist changes none
 *   either: use {@link fencedUpsert} where rows come and go.
 */
export function assertWritten(grant: Grant, result: { readonly rowCount: number | null }): void {
  const { rowCount } = result;
  if (typeof rowCount !== "number") {
    throw new TypeError(`\`rowCount\` must be a number, got ${show(rowCount)}`);
  }
  if (rowCount === 0) throw new StaleTokenError(checkGrant(grant));
}

function parts(grant: Grant, row: FencedRow) {
  checkKnown(row, ["table", "schema", "key", "set", "fenceColumn"]);
  const { fencingToken } = checkGrant(grant);
  const { schema, key, set, fenceColumn = "fence" } = row;
  const table = quoted("table", row.table);
  const both = Object.keys(key).find((name) => Object.hasOwn(set, name));
  if (both !== undefined) throw new RangeError(`\`${both}\` is in both \`key\` and \`set\``);
  const nullKey = Object.keys(key).find((name) => key[name] === null);
  // `= NULL` is never true: every write would look stale.
  if (nullKey !== undefined) throw new TypeError(`\`key.${nullKey}\` must have a value, got null`);
  return {
    table: schema === undefined ? table : `${quoted("schema", schema)}.${table}`,
    fence: quoted("fenceColumn", fenceColumn),
    keys: quotedColumns("key", key, fenceColumn),
    sets: quotedColumns("set", set, fenceColumn),
    values: [...Object.values(set), ...Object.values(key), fencingToken],
  };
}
