/** Checks of arguments: each names the option and the value in what it throws. */

export function checkKnown(options: object, known: readonly string[], prefix = ""): void {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`options must be an object, got ${show(options)}`);
  }
  for (const key of Object.keys(options)) {
    if (!known.includes(key)) {
      throw new TypeError(`unknown option \`${prefix}${key}\`${closestOf(key, known)}`);
    }
    // Only undefined stands for "not given": null comes from a value that went missing elsewhere.
    if (options[key as keyof typeof options] === null) {
      throw new TypeError(`\`${prefix}${key}\` must not be null`);
    }
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
    const range = max === Number.POSITIVE_INFINITY ? `at least ${min}` : `from ${min} to ${max}`;
    throw new RangeError(`\`${option}\` must be ${range}, got ${value}`);
  }
  return value;
}

export function integer(
  option: string,
  value: unknown,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
): number {
  const checked = number(option, value, min, max);
  if (!Number.isInteger(checked)) {
    throw new RangeError(`\`${option}\` must be a whole number of ms, got ${checked}`);
  }
  return checked;
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

/** What goes into keys and values on the nodes: half a surrogate pair has no UTF-8. */
export function wellFormed(option: string, value: unknown): string {
  const checked = string(option, value);
  if (/\p{Surrogate}/u.test(checked)) {
    throw new RangeError(`\`${option}\` must be well-formed Unicode, got ${show(checked)}`);
  }
  return checked;
}

export function show(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

/** `; did you mean ...?` with the known name that is meant, or "" if none is close. */
export function closestOf(name: string, known: readonly string[]): string {
  const given = name.toLowerCase();
  const begun = known.find((other) => given.length > 2 && other.toLowerCase().startsWith(given));
  const distances = known.map((other) => editDistance(given, other.toLowerCase()));
  const least = Math.min(...distances);
  const isClose = least <= Math.min(2, name.length / 2);
  const meant = begun ?? (isClose ? known[distances.indexOf(least)] : undefined);
  return meant === undefined ? "" : `; did you mean \`${meant}\`?`;
}

/** How many letters have to be added, left out or replaced to make one of the other. */
function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (let at = 0; at < left.length; at++) {
    const next = [at + 1];
    for (let to = 0; to < right.length; to++) {
      const replaced = (row[to] ?? 0) + (left[at] === right[to] ? 0 : 1);
      next.push(Math.min(replaced, (row[to + 1] ?? 0) + 1, (next[to] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
