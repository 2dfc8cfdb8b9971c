import { checkObject } from "../runtime/validate.js";
import { MalformedTokenError } from "./errors.js";
import { checkGrant, type CheckedGrant, type Grant } from "./grant.js";

/** The token as a decimal number; in a response that rejects a token, the largest token seen. */
export const TOKEN_HEADER = "fencing-token";
/** The name that the token was granted for, percent-encoded: headers are limited to ASCII. */
export const RESOURCE_HEADER = "fencing-resource";

/** Headers of `node:http`, or a `Headers` object as `fetch` uses it. */
export type HeadersLike =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | { get(name: string): string | null };

/**
 * Headers for a request to a service that checks fencing tokens: `fetch(url, { headers: fencingHeaders(lock) })`.
 *
 * @throws TypeError or RangeError if the grant has no valid name or fencing token
 */
export function fencingHeaders(grant: Grant): {
  readonly "fencing-token": string;
  readonly "fencing-resource": string;
} {
  const { name, fencingToken } = checkGrant(grant);
  return { [TOKEN_HEADER]: String(fencingToken), [RESOURCE_HEADER]: encodeURIComponent(name) };
}

/**
 * Reads the grant from the headers of a request.
 *
 * @throws MalformedTokenError if one of the two headers is missing, is repeated, or has a value that
 *   {@link fencingHeaders} would not write
 * @throws TypeError for what are no headers
 */
export function parseFencingHeaders(headers: HeadersLike): CheckedGrant {
  return { name: parseResource(headers), fencingToken: parseToken(headers) };
}

/**
 * Reads only the token, for a service that knows the resource from its own routes.
 *
 * @throws MalformedTokenError as {@link parseFencingHeaders} does
 */
export function parseToken(headers: HeadersLike): number {
  const value = headerOf(headers, TOKEN_HEADER);
  // Stricter than Number(), which also accepts " 7", "7.0", "0x7", "7e3" and "" (as 0).
  const fencingToken = /^[1-9]\d{0,15}$/.test(value ?? "") ? Number(value) : Number.NaN;
  if (Number.isSafeInteger(fencingToken)) return fencingToken;
  throw new MalformedTokenError(TOKEN_HEADER, value, "a single decimal integer from 1 to 2^53 - 1");
}

function parseResource(headers: HeadersLike): string {
  const value = headerOf(headers, RESOURCE_HEADER);
  const expected = "a single percent-encoded name";
  // Two headers with one name arrive joined by a comma, which an encoded name never contains.
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
  // The value of one of them, say, in which none would be found.
  checkObject("`headers`", headers, "the headers of a request or response");
  const value =
    typeof headers.get === "function"
      ? headers.get(name)
      : (headers as Readonly<Record<string, string | readonly string[] | undefined>>)[name];
  return typeof value === "object" ? value?.join(", ") : value;
}
