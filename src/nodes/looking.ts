/** Symbol of an option of a lock manager. Private to the package. */
const LOOKS: unique symbol = Symbol("quorate.looks");

/** The options, for a manager that takes no locks: it writes no record on the nodes. */
export function looking<T extends object>(options: T): T {
  return { ...options, [LOOKS]: true };
}

export function isLooking(options: object): boolean {
  return LOOKS in options;
}
