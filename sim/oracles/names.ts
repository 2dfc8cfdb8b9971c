/**
 * The permits of a semaphore are separate locks, with separate names in a history: number 3 of the semaphore `a` is
 * `a#3`, and a waiter for any of them waits for `a#`.
 */

/** The name of both the permit and the exclusive lock: `a` for `a#3`. */
export function rootOf(name: string): string {
  const at = name.indexOf("#");
  return at === -1 ? name : name.slice(0, at);
}

/** The names of a set, which are one text, or the one name that it is. */
export function rootsOf(name: string): string[] {
  return name.split(", ").map(rootOf);
}

/** What is waited for: `a#` for `a#3`, and any other name as it is. */
export function waitedFor(name: string): string {
  const at = name.indexOf("#");
  return at === -1 ? name : name.slice(0, at + 1);
}

/** The same for each name of a set. */
export function allWaitedFor(name: string): string[] {
  return name.split(", ").map(waitedFor);
}

export function isPermit(name: string): boolean {
  return name.includes("#");
}

/** Whether several names are wanted together, and not only several permits of one. */
export function isSet(name: string): boolean {
  return name.includes(", ") && !isPermit(name);
}
