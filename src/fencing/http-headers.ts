import { MalformedTokenError } from "./errors.js";
import { checkGrant, type CheckedGrant, type Grant } from "./grant.js";

/** The token as a decimal number; in an answer that turns one away, the largest that was seen. */
export const TOKEN_HEADER = "fencing-token";
/** What the token was granted for, percent-encoded: a header takes only ASCII. */
export const RESOURCE_HEADER = "fencing-resource";

/** Headers of `node:http` or of `fetch`. */
export type HeadersLike =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | { get(name: string): string | null };

/**
 * Headers for a request to a service that is protected: `fetch(url, { headers: fencingHeaders(lock) })`.
 *
 * @throws TypeError, RangeError for a grant without a good token
 */
export function fencingHeaders(grant: Grant): {
  readonly "fencing-token": string;
  readonly "fencing-resource": string;
} {
  const { name, fencingToken } = checkGrant(grant);
  return { [TOKEN_HEADER]: String(fencingToken), [RESOURCE_HEADER]: encodeURIComponent(name) };
}

/**
 * The grant in the headers of a request.
 *
 * @throws MalformedTokenError if one of them is missing, came twice, or is nothing that
 *   {@link fencingHeaders} would write
 */
export function parseFencingHeaders(headers: HeadersLike): CheckedGrant {
  return { name: parseResource(headers), fencingToken: parseToken(headers) };
}

/** The token alone, for a service that knows the resource from its own routes. */
export function parseToken(headers: HeadersLike): number {
  const value = headerOf(headers, TOKEN_HEADER);
  // Nothing that Number() would also take: " 7", "7.0", "0x7", "7e3", "" (which is 0).
  const fencingToken = /^[1-9]\d{0,15}$/.test(value ?? "") ? Number(value) : Number.NaN;
  if (Number.isSafeInteger(fencingToken)) return fencingToken;
  throw new MalformedTokenError(TOKEN_HEADER, value, "one decimal number from 1 to 2^53 - 1");
}

function parseResource(headers: HeadersLike): string {
  const value = headerOf(headers, RESOURCE_HEADER);
  const expected = "one percent-encoded name";
  // Two headers of a name arrive as one with a comma, which an encoded name has none of.
  if (value === undefined || !/^[!-+\--~]+$/.test(value)) {
    throw new MalformedTokenError(RESOURCE_HEADER, value, expected);
  }
  try {
    return decodeURIComponent(value);
  } catch (error) {
    throw new MalformedTokenError(RESOURCE_HEADER, value, expected, error);
  }
}

function headerOf(headers: HeadersLike, name: string): string | undefined {
  const value =
    typeof headers.get === "function"
      ? headers.get(name)
      : (headers as Readonly<Record<string, string | readonly string[] | undefined>>)[name];
  return typeof value === "object" ? value?.join(", ") : value;
}
