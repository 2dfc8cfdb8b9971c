import type { RedisOptions } from "ioredis";
import { show, showWithoutLogin } from "../runtime/validate.js";

const SCHEMES = new Map([
  ["redis:", { isTls: false }],
  ["rediss:", { isTls: true }],
  ["valkey:", { isTls: false }],
  ["valkeys:", { isTls: true }],
]);

/**
 * What a URL says about a server: `rediss://user:password@host:port/db`, and `?family=6`.
 *
 * Not parsed by ioredis, where query parameters would override what our connections need.
 *
 * @throws TypeError that names the node and what is wrong, without the credentials.
 */
export function optionsOfUrl(text: string, at: string): RedisOptions {
  const shown = showWithoutLogin(text);
  if (!text.includes("://")) {
    throw new TypeError(`\`${at}\` must be a URL such as redis://host:6379, got ${shown}`);
  }
  const scheme = SCHEMES.get(text.slice(0, text.indexOf("//")).toLowerCase());
  if (scheme === undefined) {
    throw new TypeError(`\`${at}\` must be a redis:// or rediss:// URL, got ${shown}`);
  }
  const [url, username, password] = parsed(text, at, shown);
  if (url.hostname === "") throw new TypeError(`\`${at}\` names no host: ${shown}`);
  const options: RedisOptions = {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
  };
  if (url.port !== "") options.port = Number(url.port);
  if (username !== "") options.username = username;
  if (password !== "") options.password = password;
  if (scheme.isTls) options.tls = {};
  const db = url.pathname.slice(1);
  if (db !== "") options.db = wholeNumber(db, `database ${show(db)}`, at, shown);
  for (const [name, value] of url.searchParams) {
    if (name !== "family") {
      const instead = `give it as { url, options: { ${name}: ... } }`;
      throw new TypeError(`\`${at}\` has \`${name}\` in the query of its URL; ${instead}`);
    }
    options.family = wholeNumber(value, `family ${show(value)}`, at, shown);
  }
  return options;
}

function parsed(text: string, at: string, shown: string): [URL, string, string] {
  const authority = /\/\/([^/?#]*)/.exec(text)?.[1] ?? "";
  try {
    const url = new URL(text);
    const credentials = [url.username, url.password].map(decodeURIComponent);
    // A later "@" belongs to a password that ended too early for the parser.
    if (text.lastIndexOf("@") <= text.indexOf(authority) + authority.length) {
      return [url, credentials[0] ?? "", credentials[1] ?? ""];
    }
  } catch {
    const port = /:([^:\]]*)$/.exec(authority)?.[1];
    if (!text.includes("@") && port !== undefined && !(Number(port) <= 65_535)) {
      throw new TypeError(`\`${at}\` has the invalid port ${show(port)} in ${shown}`);
    }
  }
  const hint = text.includes("@")
    ? "; special characters of a user name or password must be percent-encoded"
    : "";
  throw new TypeError(`\`${at}\` is not a valid URL: ${shown}${hint}`);
}

function wholeNumber(text: string, what: string, at: string, shown: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new TypeError(`\`${at}\` has the invalid ${what} in ${shown}`);
}
