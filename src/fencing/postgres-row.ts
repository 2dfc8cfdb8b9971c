import { checkKnown, whole } from "../runtime/validate.js";
import { StaleTokenError } from "./errors.js";
import { checkGrant, type Grant } from "./grant.js";
import { quoted, quotedColumns, type Columns, type SqlQuery } from "./postgres-quote.js";

/** A row with a fence of its own, in a column `BIGINT NOT NULL DEFAULT 0`. */
export interface FencedRow {
  readonly table: string;
  /** Schema of the table. Default: the table is found by the connection's `search_path`. */
  readonly schema?: string;
  /** Columns that identify the row: its primary key, or another unique key. No value may be null. */
  readonly key: Columns;
  /** Columns to write: at least one, without those of the key and of the fence. */
  readonly set: Columns;
  /** Column of the fence. Default: `"fence"`. */
  readonly fenceColumn?: string;
}

/**
 * `UPDATE ... SET ..., fence = $n WHERE key AND fence <= $n`: updates the row unless it was written under a larger
 * token. No row is changed if it was, or if there is no such row: see {@link assertWritten}.
 *
 * The statement is atomic: if it waits for another transaction that locked the row, it checks the fence again when
 * that transaction has committed.
 *
 * @throws TypeError or RangeError if the grant has no valid name or fencing token, or for invalid names or missing
 *   values of columns
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
 * `INSERT ... ON CONFLICT (key) DO UPDATE ... WHERE fence <= excluded.fence`: inserts or updates the row, unless it was
 * written under a larger token. Only then is no row changed: see {@link assertWritten}.
 *
 * @throws TypeError or RangeError as {@link fencedUpdate} does
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
 * Checks that a write changed a row.
 *
 * @throws StaleTokenError if `rowCount` is 0. A {@link fencedUpdate} of a row that does not exist changes no row
 *   either: use {@link fencedUpsert} if rows are created and deleted.
 * @throws TypeError or RangeError if `rowCount` is not a number of rows
 */
export function assertWritten(grant: Grant, result: { readonly rowCount: number | null }): void {
  if (whole("rowCount", result.rowCount, 0, Number.MAX_SAFE_INTEGER) !== 0) return;
  const checked = checkGrant(grant);
  const found = `no row with fencing token ${checked.fencingToken} or less was found`;
  const why = `${found}: the token is stale, or there is no such row`;
  throw new StaleTokenError(checked, undefined, undefined, why);
}

function parts(grant: Grant, row: FencedRow) {
  checkKnown(row, ["table", "schema", "key", "set", "fenceColumn"]);
  const { fencingToken } = checkGrant(grant);
  const { schema, key, set, fenceColumn = "fence" } = row;
  const table = quoted("table", row.table);
  const keys = quotedColumns("key", key, fenceColumn);
  const sets = quotedColumns("set", set, fenceColumn);
  const both = Object.keys(key).find((name) => Object.hasOwn(set, name));
  if (both !== undefined) throw new RangeError(`\`${both}\` is in both \`key\` and \`set\``);
  const nullKey = Object.keys(key).find((name) => key[name] === null);
  // `= NULL` is never true: every write would look stale.
  if (nullKey !== undefined) throw new TypeError(`\`key.${nullKey}\` must have a value, got null`);
  return {
    table: schema === undefined ? table : `${quoted("schema", schema)}.${table}`,
    fence: quoted("fenceColumn", fenceColumn),
    keys,
    sets,
    values: [...Object.values(set), ...Object.values(key), fencingToken],
  };
}
