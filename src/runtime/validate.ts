import leven from "leven";

/** The longest delay that timers of Node.js accept, ms. They take a longer one for 1 ms. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Checks of arguments: each error names the option and the value. */

export function checkKnown(
  options: object,
  known: readonly string[],
  prefix = "",
  errorOf = (name: string): TypeError => unknownOption(name, similar(name, known), prefix),
): void {
  checkObject(prefix === "" ? "options" : `\`${prefix.replace(/\.$/, "")}\``, options);
  for (const key of Object.keys(options)) {
    if (!known.includes(key)) throw errorOf(key);
    // Only undefined means "not given": null comes from a value that went missing elsewhere.
    if (options[key as keyof typeof options] === null) {
      throw new TypeError(`\`${prefix}${key}\` must not be null`);
    }
  }
}

/** @param what of the caller, for the error */
export function checkObject(what: string, value: unknown, wanted = "an object"): void {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return;
  throw new TypeError(
    `${what} must be ${wanted}, got ${Array.isArray(value) ? "an array" : showWithoutLogin(value)}`,
  );
}

/**
 * @param method what is called of it: a double of a lock manager need not have more
 * @throws TypeError for anything else, such as a promise of one
 */
export function checkLocks(locks: unknown, method: string, wanted = "a LockManager"): void {
  const found = (locks as Readonly<Record<string, unknown>> | null | undefined)?.[method];
  if (typeof found === "function") return;
  throw new TypeError(`\`locks\` must be ${wanted}, got ${show(locks)}`);
}

/** @param meant the known one that was probably meant */
export function unknownOption(name: string, meant: string | undefined, prefix = ""): TypeError {
  const hint = meant === undefined ? "" : `: did you mean \`${prefix}${meant}\`?`;
  return new TypeError(`unknown option \`${prefix}${name}\`${hint}`);
}

/** Maximum number of edits for a word to count as a typo of another. */
const MAX_EDITS = 3;
/** Shorter words occur in many others by chance. */
const MIN_PART_LENGTH = 3;

/** The known name that was probably meant: the closest that contains it, or nearly equals it. */
export function similar(name: string, known: readonly string[]): string | undefined {
  const wanted = name.toLowerCase();
  const maxEdits = Math.min(MAX_EDITS, Math.floor(0.45 * wanted.length));
  const rated = known.flatMap((each) => {
    const other = each.toLowerCase();
    const [short, long] = other.length < wanted.length ? [other, wanted] : [wanted, other];
    const isPart = short.length >= MIN_PART_LENGTH && long.includes(short);
    const edits = leven(wanted, other);
    // A transposition counts as two edits, too many for a short word.
    const isSwapped = lettersOf(other) === lettersOf(wanted);
    return isPart || isSwapped || edits <= maxEdits ? [{ each, edits }] : [];
  });
  return rated.toSorted((a, b) => a.edits - b.edits)[0]?.each;
}

function lettersOf(word: string): string {
  return word.split("").toSorted().join("");
}

/**
 * An argument that a call does not have would be ignored in silence.
 *
 * @param args of the call, as given
 * @param hint what was probably meant
 */
export function superfluous(
  call: string,
  args: ArrayLike<unknown>,
  count: number,
  hint: string,
): TypeError | undefined {
  if (args.length <= count) return undefined;
  const more = Array.from(args).slice(count);
  const given = more.find((each) => each !== undefined);
  if (given === undefined) return undefined;
  const what = typeof given === "function" ? "a function" : show(given);
  return new TypeError(`${call} has no argument ${count + 1}, got ${what}: ${hint}`);
}

/** @throws TypeError if the call has an argument too many, see {@link superfluous} */
export function checkCount(...call: Parameters<typeof superfluous>): void {
  const wrong = superfluous(...call);
  if (wrong !== undefined) throw wrong;
}

/** Checks each option with the check of its name; other options are errors. */
export function checkOptions(
  options: unknown,
  checks: Readonly<Record<string, (option: string, value: unknown) => unknown>>,
  prefix = "",
): void {
  checkKnown(options as object, Object.keys(checks), prefix);
  for (const [key, value] of Object.entries(options as object)) {
    if (value !== undefined) checks[key]?.(prefix + key, value);
  }
}

export function number(
  option: string,
  value: unknown,
  min: number,
  max = Number.POSITIVE_INFINITY,
): number {
  if (typeof value !== "number" || Number.isNaN(value)) {
    throw new TypeError(`\`${option}\` must be a number, got ${show(value)}`);
  }
  if (value < min || value > max) {
    const kind = value === Number.POSITIVE_INFINITY ? "a finite number of " : "";
    const isOpen = max >= Number.MAX_SAFE_INTEGER;
    const range = isOpen ? `${kind}at least ${min}` : `from ${min} to ${max}`;
    // Seconds are the commonest mistake.
    const unit = option.endsWith("Ms") ? " ms" : "";
    throw new RangeError(`\`${option}\` must be ${range}${unit}, got ${value}`);
  }
  return value;
}

export function integer(option: string, value: unknown, min: number): number {
  const checked = number(option, value, min, Number.MAX_SAFE_INTEGER);
  if (!Number.isInteger(checked)) {
    throw new RangeError(`\`${option}\` must be an integer number of ms, got ${checked}`);
  }
  return checked;
}

export function whole(option: string, value: unknown, min: number, max: number): number {
  const checked = number(option, value, min, max);
  if (Number.isInteger(checked)) return checked;
  throw new RangeError(`\`${option}\` must be an integer from ${min} to ${max}, got ${checked}`);
}

export function boolean(option: string, value: unknown): boolean {
  if (typeof value !== "boolean") {
    throw new TypeError(`\`${option}\` must be a boolean, got ${show(value)}`);
  }
  return value;
}

export function string(option: string, value: unknown): string {
  if (typeof value !== "string") {
    throw new TypeError(`\`${option}\` must be a string, got ${show(value)}`);
  }
  return value;
}

/** For text in keys and values on the nodes: a lone surrogate has no UTF-8. */
export function wellFormed(option: string, value: unknown): string {
  if (typeof value === "string" && value.isWellFormed()) return value;
  throw new RangeError(
    `\`${option}\` must be well-formed Unicode, got ${show(string(option, value))}`,
  );
}

export function oneOf<T extends string>(option: string, value: unknown, known: readonly T[]): T {
  const given = string(option, value);
  const found = known.find((each) => each === given);
  if (found !== undefined) return found;
  throw new RangeError(
    `\`${option}\` must be one of ${known.map(show).join(", ")}, got ${show(given)}`,
  );
}

/** Of a value in an error, in characters: the rest of the message fits into three lines of a terminal with it. */
const LONGEST_SHOWN = 100;

/** A value in an error, without the credentials of a URL. Never throws, whatever it is. */
export function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(cut(withoutUserInfo(value)));
  // Its source says nothing here, and may be long.
  if (typeof value === "function") return "a function";
  try {
    if (!Array.isArray(value)) return cut(withoutUserInfo(String(value)));
    // What contains itself ends, as JavaScript shows lists.
    const all = value
      .slice(0, LONGEST_SHOWN)
      .map((each) => (Array.isArray(each) ? withoutUserInfo(`[${String(each)}]`) : show(each)));
    return cut(`[${all.join(", ")}]`);
  } catch {
    // It has no prototype, or converts itself to a text and fails.
    return "an object";
  }
}

/** The same of what stands where a node, several, or an object belongs: a text may be a URL without its scheme. */
export function showWithoutLogin(value: unknown): string {
  const hide = (each: unknown): unknown =>
    typeof each === "string"
      ? withoutCredentials(each, /^[^:]*:\/\/(?=.*@)/s.exec(each)?.[0].length ?? 0)
      : each;
  return show(Array.isArray(value) ? value.map(hide) : hide(value));
}

function withoutUserInfo(text: string): string {
  const at = text.indexOf("://");
  return at === -1 ? text : withoutCredentials(text, at + 3);
}

/**
 * Everything up to the last "@" may be part of a password, however a parser splits it.
 *
 * @param from where credentials can begin
 */
function withoutCredentials(text: string, from: number): string {
  const to = text.lastIndexOf("@");
  return to < from ? text : `${text.slice(0, from)}***${text.slice(to)}`;
}

function cut(text: string): string {
  if (text.length <= LONGEST_SHOWN) return text;
  // Without half of a character at the cut.
  return `${text.slice(0, LONGEST_SHOWN - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
