import { StaleTokenError } from "./errors.js";
import { checkGrant, type Grant } from "./grant.js";
import type { SqlQuery } from "./postgres-quote.js";

/** The SQLSTATE of a stale token, in a class that neither the SQL standard nor PostgreSQL uses. */
export const STALE_SQLSTATE = "QF409";

/**
 * Key of the advisory lock under which everything is created: "quorate" in ASCII. `IF NOT EXISTS` and `OR REPLACE` fail
 * where two transactions create the same at once. It is taken in the statement that creates, because it ends with the
 * transaction, and a tool may run each statement in one of its own.
 */
const SETUP_LOCK = 0x71_75_6f_72_61_74_65n;

/**
 * Creates the table of fences and the function `quorate_fence(resource, token)`: run it once, in a migration.
 * Running it again changes nothing. Several processes may run it at once.
 *
 * The function raises the fence, or throws an exception, which aborts the transaction with everything it wrote.
 * It locks the row of the fence until the transaction ends: a call for the same resource in another transaction waits
 * for that, and its token is compared with what was committed.
 */
export const FENCES_SQL = `
DO $setup$
BEGIN
  PERFORM pg_advisory_xact_lock(${SETUP_LOCK});

  CREATE TABLE IF NOT EXISTS quorate_fences (
    resource text PRIMARY KEY,
    fence bigint NOT NULL,
    lifted_at timestamptz NOT NULL DEFAULT now()
  );

  CREATE OR REPLACE FUNCTION quorate_fence(for_resource text, token bigint) RETURNS void
  LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO quorate_fences AS stored (resource, fence) VALUES (for_resource, token)
    ON CONFLICT (resource) DO UPDATE SET fence = excluded.fence, lifted_at = now()
    WHERE stored.fence <= excluded.fence;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'fencing token % of "%" is stale', token, for_resource
        USING ERRCODE = '${STALE_SQLSTATE}',
          DETAIL = (SELECT stored.fence FROM quorate_fences AS stored WHERE resource = for_resource);
    END IF;
  END
  $$;
END
$setup$;
`;

/**
 * `SELECT quorate_fence($1, $2)`. Make it the first statement of the transaction, before you read anything. It needs
 * the function that {@link FENCES_SQL} creates.
 *
 * @throws TypeError or RangeError if the grant has no valid name or fencing token
 */
export function fenceQuery(grant: Grant): SqlQuery {
  const { name, fencingToken } = checkGrant(grant);
  return { text: "SELECT quorate_fence($1, $2)", values: [name, fencingToken] };
}

/**
 * Converts the exception of `quorate_fence` to a {@link StaleTokenError}, and returns all other errors unchanged:
 * `catch (error) { throw staleOr(lock, error); }`.
 */
export function staleOr(grant: Grant, error: unknown): unknown {
  if (typeof error !== "object" || error === null) return error;
  const { code, detail } = error as { code?: unknown; detail?: unknown };
  if (code !== STALE_SQLSTATE) return error;
  // At REPEATABLE READ the transaction may see an older fence than the one that rejected it.
  const fence = Number(detail ?? Number.NaN);
  const checked = checkGrant(grant);
  const isLarger = Number.isSafeInteger(fence) && fence > checked.fencingToken;
  return new StaleTokenError(checked, isLarger ? fence : undefined, error);
}
