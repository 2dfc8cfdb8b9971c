import { hostname } from "node:os";
import { LOCK_LAYOUTS } from "../protocol/lock-layout.js";
import { OWN_FIELDS } from "../protocol/markers.js";
import { MAX_PERMITS } from "../protocol/semaphore-size.js";
import {
  boolean,
  checkKnown,
  checkObject,
  integer,
  number,
  oneOf,
  show,
  similar,
  unknownOption,
  wellFormed,
  whole,
} from "../runtime/validate.js";
import {
  LOCK_MODES,
  QUARANTINES,
  type AdoptOptions,
  type ElectOptions,
  type LockManagerOptions,
  type LockOptions,
  type LockMode,
  type RequestOptions,
  type RetryOptions,
  type SemaphoreOptions,
} from "../api/options.js";

export const MIN_TTL_MS = 10;
const MAX_LABEL_LENGTH = 200;
const MAX_OWNER_LENGTH = 200;
const MAX_VALUE_BYTES = 1_024;

/** Where options are given. */
export type Place = "manager" | "acquire" | "request" | "elect" | "semaphore" | "permit" | "adopt";

type AllOptions = LockManagerOptions &
  RequestOptions &
  ElectOptions &
  AdoptOptions &
  SemaphoreOptions;

/** What is said of one option in one place. Its sentence is the beginning of its comment in `options.ts`. */
export interface OptionRow<T> {
  /** Where it may be given. Of an option of manager and calls, the manager has the default. */
  readonly places: readonly Place[];
  /** Undefined if it is derived, as documented at the option. */
  readonly byDefault?: T;
  /** @throws TypeError for a wrong type, RangeError for a value out of range; both name the option and the value */
  readonly check: (option: string, value: unknown) => T;
  /** One of the few that most users need. */
  readonly isEveryday?: true;
}

const RETRY = { minDelayMs: 10, maxDelayMs: 250 } as const;

const CALLS = ["acquire", "request", "elect", "semaphore", "permit", "adopt"] as const;
const ALL = ["manager", ...CALLS] as const;
const WAITING = ["manager", "acquire", "request", "semaphore", "permit"] as const;
const ONLY_LOCKS = ["acquire", "request"] as const;
const ONLY_MANAGER = ["manager"] as const;

const atLeast =
  (min: number) =>
  (option: string, value: unknown): number =>
    number(option, value, min);
const wholeMs =
  (min: number) =>
  (option: string, value: unknown): number =>
    integer(option, value, min);

/** All options, in the order of the reference. */
export const OPTIONS = {
  ttlMs: { places: ALL, byDefault: 10_000, check: wholeMs(MIN_TTL_MS), isEveryday: true },
  waitMs: { places: WAITING, byDefault: 30_000, check: atLeast(0), isEveryday: true },
  signal: { places: CALLS, check: signal, isEveryday: true },
  label: {
    places: ALL,
    byDefault: `${hostname()}:${process.pid}`.slice(0, MAX_LABEL_LENGTH),
    check: label,
    isEveryday: true,
  },
  mode: { places: ONLY_LOCKS, byDefault: "exclusive", check: mode, isEveryday: true },
  ifAvailable: { places: ["request"], byDefault: false, check: boolean, isEveryday: true },
  keyPrefix: { places: ONLY_MANAGER, byDefault: "lock:", check: wellFormed, isEveryday: true },
  renew: { places: ALL, byDefault: true, check: boolean },
  maxHoldMs: { places: ALL, byDefault: Number.POSITIVE_INFINITY, check: atLeast(1) },
  fair: {
    places: ["manager", "acquire", "request", "elect", "semaphore", "permit"],
    byDefault: false,
    check: boolean,
  },
  maxWaiters: { places: WAITING, byDefault: Number.POSITIVE_INFINITY, check: waiters },
  owner: { places: ONLY_LOCKS, check: owner },
  value: { places: ["acquire", "request", "elect"], check: checkedValue },
  reentrant: { places: ONLY_LOCKS, check: boolean },
  steal: { places: ["request"], byDefault: false, check: boolean },
  lockDelayMs: { places: ALL, byDefault: 0, check: wholeMs(0) },
  minHoldMs: { places: ALL, byDefault: 0, check: wholeMs(0) },
  permits: {
    places: ["semaphore", "permit"],
    check: (option, value) => whole(option, value, 1, MAX_PERMITS),
  },
  onError: { places: ["elect"], check: callback },
  nodeTimeoutMs: { places: ONLY_MANAGER, check: atLeast(1) },
  maxTtlMs: { places: ONLY_MANAGER, byDefault: 60_000, check: wholeMs(MIN_TTL_MS) },
  quarantine: { places: ONLY_MANAGER, byDefault: "auto", check: quarantine },
  layout: {
    places: ONLY_MANAGER,
    byDefault: "redlock",
    check: (option, value) => oneOf(option, value, LOCK_LAYOUTS),
  },
  clockStepMs: { places: ONLY_MANAGER, byDefault: 5_000, check: wholeMs(0) },
  driftFactor: {
    places: ONLY_MANAGER,
    byDefault: 0.01,
    check: (option, value) => number(option, value, 0, 0.5),
  },
  retry: { places: ONLY_MANAGER, byDefault: RETRY, check: retry },
  allowEviction: { places: ONLY_MANAGER, byDefault: false, check: boolean },
  lossGraceMs: { places: ONLY_MANAGER, byDefault: 1_000, check: atLeast(0) },
  lossNoticeMs: { places: ONLY_MANAGER, check: atLeast(0) },
} as const satisfies { readonly [Name in keyof AllOptions]-?: OptionRow<AllOptions[Name]> };

export type OptionName = keyof typeof OPTIONS;

export const OPTION_NAMES = Object.keys(OPTIONS) as readonly OptionName[];

/** Those of one lock, wherever it comes from: the manager has the default of each. */
export const LOCK_OPTIONS = OPTION_NAMES.filter(
  (name): name is keyof LockOptions => placesOf(name).length === ALL.length,
);

/** Once: each call with options asks for those of its place. */
const NAMES_BY_PLACE: ReadonlyMap<Place, readonly OptionName[]> = new Map(
  ALL.map((place) => [place, OPTION_NAMES.filter((name) => placesOf(name).includes(place))]),
);

/** Names of the options that may be given in a place. */
export function optionsOf(place: Place): readonly OptionName[] {
  return NAMES_BY_PLACE.get(place) ?? [];
}

export function placesOf(name: OptionName): readonly Place[] {
  return OPTIONS[name].places;
}

/**
 * Checks each given option by its row.
 *
 * @throws TypeError for an unknown option, or one that belongs elsewhere; and what the rows throw
 */
export function checkPlace(given: unknown, place: Place): void {
  const known = optionsOf(place);
  // Other libraries take a duration there.
  checkObject("options", given, "an object such as { ttlMs: 10_000 }");
  checkKnown(given as object, known, "", (name) => misplaced(name, place));
  for (const name of known) {
    const value = (given as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined) OPTIONS[name].check(name, value);
  }
}

const WHERE: Readonly<Record<Place, string>> = {
  manager: "the LockManager: it is the same for all its locks",
  acquire: "acquire, tryAcquire and request",
  request: "request",
  elect: "elect",
  semaphore: "semaphore",
  permit: "the permits of a semaphore",
  adopt: "adopt",
};

/** Words for options that are not like them: what they are called in other lock libraries. In lower case. */
const OTHER_WORDS: ReadonlyMap<string, OptionName> = new Map([
  ["locktimeout", "ttlMs"],
  ["duration", "ttlMs"],
  ["expiry", "ttlMs"],
  ["acquiretimeout", "waitMs"],
  ["acquireattemptslimit", "waitMs"],
  ["retrycount", "waitMs"],
  ["retryattempts", "waitMs"],
  ["retries", "waitMs"],
  ["refreshinterval", "renew"],
]);

/** Of a call: the manager has `nodeTimeoutMs` as well. */
const WAIT_WORDS: readonly string[] = ["timeout", "timeoutms"];

/** Says where an option belongs that is known elsewhere, or which one was probably meant. */
function misplaced(name: string, place: Place): TypeError {
  const known = OPTION_NAMES.find((each) => each === name);
  if (known !== undefined) {
    const isOfLocks = place === "permit" && placesOf(known).includes("acquire");
    return new TypeError(
      isOfLocks
        ? `\`${name}\` does not apply to a semaphore: leave it out`
        : `\`${name}\` is not an option here: it is ${oneOfPlace(known)}`,
    );
  }
  const word = name.toLowerCase();
  const isWait = place !== "manager" && WAIT_WORDS.includes(word);
  const called = isWait ? "waitMs" : OTHER_WORDS.get(word);
  if (called !== undefined) {
    return unknownOption(name, placesOf(called).includes(place) ? called : undefined);
  }
  const meantHere = similar(name, optionsOf(place));
  const meant = OPTION_NAMES.find((each) => each === similar(name, OPTION_NAMES));
  if (meantHere !== undefined || meant === undefined) return unknownOption(name, meantHere);
  return new TypeError(`unknown option \`${name}\`: \`${meant}\` is ${oneOfPlace(meant)}`);
}

/** Of an option that calls have, too, the manager only has the default. */
function oneOfPlace(name: OptionName): string {
  const [first = "manager"] = placesOf(name).filter((each) => each !== "manager");
  return `one of ${WHERE[first]}`;
}

type DefaultName = {
  [Name in keyof LockManagerOptions]-?: (typeof OPTIONS)[Name] extends {
    readonly byDefault: unknown;
  }
    ? Name
    : never;
}[keyof LockManagerOptions];

/** The defaults of a lock manager; without those that are derived, as documented at the option. */
export const DEFAULTS = Object.freeze(
  Object.fromEntries(
    optionsOf("manager").flatMap((name) => {
      const row: OptionRow<unknown> = OPTIONS[name];
      return "byDefault" in row ? [[name, Object.freeze(row.byDefault)]] : [];
    }),
  ),
) as { readonly [Name in DefaultName]: NonNullable<LockManagerOptions[Name]> } & {
  readonly retry: Required<typeof OPTIONS.retry.byDefault>;
};

function signal(option: string, value: unknown): AbortSignal {
  if (value instanceof AbortSignal) return value;
  const hint = value instanceof AbortController ? ": pass its `signal`" : "";
  throw new TypeError(`\`${option}\` must be an AbortSignal, got ${show(value)}${hint}`);
}

function mode(option: string, value: unknown): LockMode {
  const found = LOCK_MODES.find((each) => each === value);
  if (found !== undefined) return found;
  throw new TypeError(`\`${option}\` must be "exclusive" or "shared", got ${show(value)}`);
}

function label(option: string, value: unknown): string {
  const text = wellFormed(option, value);
  if (text.length <= MAX_LABEL_LENGTH) return text;
  throw new RangeError(
    `\`${option}\` must have at most ${MAX_LABEL_LENGTH} characters, got ${text.length}`,
  );
}

function owner(option: string, value: unknown): string {
  const text = wellFormed(option, value);
  if (text.length === 0 || text.length > MAX_OWNER_LENGTH) {
    throw new RangeError(
      `\`${option}\` must have 1 to ${MAX_OWNER_LENGTH} characters, got ${text.length}`,
    );
  }
  if (text.startsWith(OWN_FIELDS)) {
    throw new RangeError(`\`${option}\` must not begin with "${OWN_FIELDS}", got ${show(text)}`);
  }
  return text;
}

/** There may be any number of them, but no half one. */
function waiters(option: string, value: unknown): number {
  const count = number(option, value, 0);
  if (Number.isInteger(count) || count === Number.POSITIVE_INFINITY) return count;
  throw new RangeError(`\`${option}\` must be an integer of at least 0, or Infinity, got ${count}`);
}

/** What a holder says of itself. @throws TypeError or RangeError, naming the option */
export function checkedValue(option: string, value: unknown): string {
  const text = wellFormed(option, value);
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_VALUE_BYTES) return text;
  throw new RangeError(`\`${option}\` must have at most ${MAX_VALUE_BYTES} bytes, got ${bytes}`);
}

function callback(option: string, value: unknown): NonNullable<ElectOptions["onError"]> {
  if (typeof value === "function") return value as NonNullable<ElectOptions["onError"]>;
  throw new TypeError(`\`${option}\` must be a function, got ${show(value)}`);
}

function quarantine(option: string, value: unknown): (typeof QUARANTINES)[number] {
  if (typeof value === "boolean") {
    const instead = value ? '"auto"' : '"off"';
    throw new TypeError(`\`${option}\` must be a string, got ${value}: ${instead} is meant`);
  }
  return oneOf(option, value, QUARANTINES);
}

function retry(option: string, value: unknown): RetryOptions {
  if (typeof value !== "object" || value === null) {
    throw new TypeError(`\`${option}\` must be an object, got ${show(value)}`);
  }
  checkKnown(value, ["minDelayMs", "maxDelayMs"], `${option}.`);
  const { minDelayMs, maxDelayMs } = value as RetryOptions;
  const min = number(`${option}.minDelayMs`, minDelayMs ?? RETRY.minDelayMs, 1);
  if (maxDelayMs !== undefined) number(`${option}.maxDelayMs`, maxDelayMs, min);
  return value;
}
