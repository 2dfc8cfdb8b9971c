import { show } from "../../runtime/validate.js";

/** Maximum number of groups that are kept apart. */
const MAX_GROUPS = 100;

/** The group of all names beyond that limit, and of names without a group. */
export const OTHER = "other";

/** Maps lock names to groups: with a time series per name, there would be too many. */
export class Groups {
  readonly #group: (name: string) => string;
  /** Called for every name that is counted as `other` because there are too many groups. */
  onOverflow = (): void => {};
  readonly #known = new Set<string>();
  #isWarned = false;

  constructor(group: (name: string) => string) {
    this.#group = group;
  }

  /** With several names, the group of the first. */
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
      this.#warn(`it threw ${show(error)}`);
    }
    return OTHER;
  }

  /** Warns once, because a faulty function can fail for every lock. */
  #warn(what: string): void {
    if (this.#isWarned) return;
    this.#isWarned = true;
    const message = `\`group\` must return a string: ${what}; these locks are counted as "${OTHER}"`;
    process.emitWarning(message, { code: "QUORATE_TELEMETRY_GROUP", type: "QuorateWarning" });
  }
}

/** The name up to its first `:`, `/` or `.`. */
export function groupByPrefix(name: string): string {
  const [prefix = ""] = name.split(/[:/.]/, 1);
  return prefix;
}
