/** Credentials in the URLs of nodes. */

/** Everything up to the last "@", which a valid URL has in no other place. */
const USER_INFO = /^([^/]*:\/\/)[^/?#]*@/;

/** Whether the URL has a user name or a password. */
export function hasUserInfo(url: string): boolean {
  return USER_INFO.test(url);
}

export function hasPassword(url: string): boolean {
  return /^[^/]*:\/\/[^/?#@]*:[^/?#]*@/.test(url);
}

export function withoutUserInfo(url: string): string {
  return url.replace(USER_INFO, "$1");
}

/**
 * A command line as the list of processes should show it.
 *
 * @returns undefined if it has no password
 */
export function titleWithoutPasswords(args: readonly string[]): string | undefined {
  const shown = args.map((arg) => arg.replace(/(:\/\/)[^/?#\s,]*:[^/?#\s,]*@/g, "$1***@"));
  return shown.join("\0") === args.join("\0") ? undefined : ["quorate", ...shown].join(" ");
}
