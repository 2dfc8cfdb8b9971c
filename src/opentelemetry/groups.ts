/** How many groups are told apart. */
const MAX_GROUPS = 100;

/** Stands for all groups beyond them, and for what is none. */
export const OTHER = "other";

/** Puts the names of locks into groups: names are many, and would make a series each. */
export class Groups {
  readonly #group: (name: string) => string;
  /** Told of every name that is put to `other` because there are too many groups. */
  onOverflow = (): void => {};
  readonly #known = new Set<string>();
  #isWarned = false;

  constructor(group: (name: string) => string) {
    this.#group = group;
  }

  /** Of several names the first one's. */
  of(names: readonly string[]): string {
    const group = this.#ask(names[0] ?? "");
    if (group === OTHER || this.#known.has(group)) return group;
    if (this.#known.size < MAX_GROUPS) {
      this.#known.add(group);
      return group;
    }
    this.onOverflow();
    return OTHER;
  }

  #ask(name: string): string {
    try {
      const group: unknown = this.#group(name);
      if (typeof group === "string") return group === "" ? OTHER : group;
      this.#warn(`it returned ${group === null ? "null" : `a value of type ${typeof group}`}`);
    } catch (error) {
      this.#warn(`it threw ${String(error)}`);
    }
    return OTHER;
  }

  /** Once. */
  #warn(what: string): void {
    if (this.#isWarned) return;
    this.#isWarned = true;
    const message = `\`group\` has to return a string: ${what}; such locks count as "${OTHER}"`;
    process.emitWarning(message, { code: "QUORATE_TELEMETRY_GROUP", type: "QuorateWarning" });
  }
}

/** Up to the first `:`, `/` or `.` of the name. */
export function groupByPrefix(name: string): string {
  const [prefix = ""] = name.split(/[:/.]/, 1);
  return prefix;
}
