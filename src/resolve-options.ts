// Long because it has a check for each option.
import { LOCK_LAYOUTS, type LockLayout } from "./lock-layout.js";
import { boolean, checkKnown, integer, number, oneOf, show, wellFormed } from "./validate.js";
import type { WaitSettings } from "./coordinator/pauses.js";
import type { LeaseSettings } from "./coordinator/lease-settings.js";
import {
  DEFAULTS,
  LOCK_MODES,
  type AcquireOptions,
  type ElectOptions,
  type LockMode,
  type LockManagerOptions,
  type LockOptions,
  type WaitOptions,
} from "./options.js";
import { keptMs } from "./protocol/delays.js";
import { OWN_FIELDS } from "./protocol/markers.js";
import { defaultLossNoticeMs, leftAtRenewalMs } from "./protocol/renewal.js";
import { driftMs } from "./protocol/validity.js";

export const MIN_TTL_MS = 10;
const MAX_LABEL_LENGTH = 200;
const MAX_OWNER_LENGTH = 200;
const MAX_NAME_BYTES = 1_024;

export const LOCK_OPTIONS = [
  "ttlMs",
  "nodeTimeoutMs",
  "minValidityMs",
  "renew",
  "maxHoldMs",
  "lockDelayMs",
  "minHoldMs",
  "clockStepMs",
  "lossNoticeMs",
  "fencing",
  "label",
  "layout",
];
/** Names of the options of one acquire. */
export const ACQUIRE_OPTIONS = [
  ...LOCK_OPTIONS,
  ...["mode", "owner", "reentrant", "waitMs", "retry", "fair", "signal"],
];
const ELECT_OPTIONS = [...LOCK_OPTIONS, "retry", "fair", "signal", "onError"];
/** Names of the options of a manager. */
export const MANAGER_OPTIONS = [
  ...LOCK_OPTIONS,
  ...["waitMs", "retry", "fair", "maxTtlMs", "driftFactor", "keyPrefix", "quarantine", "bootstrap"],
  ...["allowEviction", "lossGraceMs"],
];

/** The options of a manager, resolved and checked. */
export interface ManagerSettings {
  readonly maxTtlMs: number;
  readonly driftFactor: number;
  /** For any lock, ms: the value on the nodes' records. */
  readonly maxClockStepMs: number;
  readonly keyPrefix: string;
  readonly quarantine: boolean;
  readonly bootstrap: "auto" | "explicit";
  readonly allowEviction: boolean;
  readonly lossGraceMs: number;
  readonly layout: LockLayout;
  readonly lease: LeaseSettings;
  readonly wait: WaitSettings;
  /** The same, for one attempt. */
  readonly once: WaitSettings;
  /** As given: a lock's own ttl determines its default node timeout. */
  readonly given: LockManagerOptions<boolean>;
}

/**
 * Merges with {@link DEFAULTS} and checks, each option and all together.
 * @throws TypeError for a wrong type or an unknown option, RangeError for a value out of range;
 *   both name the option and the value.
 */
export function resolveManagerOptions(given: LockManagerOptions<boolean>): ManagerSettings {
  checkKnown(given, MANAGER_OPTIONS);
  const ttlMs = integer("ttlMs", given.ttlMs ?? DEFAULTS.ttlMs, MIN_TTL_MS);
  const driftFactor = number("driftFactor", given.driftFactor ?? DEFAULTS.driftFactor, 0, 0.5);
  const lockDelayMs = integer("lockDelayMs", given.lockDelayMs ?? DEFAULTS.lockDelayMs, 0);
  const lifeMs = keptMs({ ttlMs, driftFactor, lockDelayMs });
  const maxTtlMs = integer(
    "maxTtlMs",
    given.maxTtlMs ?? Math.max(DEFAULTS.maxTtlMs, lifeMs),
    MIN_TTL_MS,
  );
  const stepMs = given.clockStepMs ?? DEFAULTS.clockStepMs;
  const base = { maxTtlMs, driftFactor, maxClockStepMs: integer("clockStepMs", stepMs, 0) };
  const layout = resolveLayout(given.layout);
  return {
    ...base,
    keyPrefix: wellFormed("keyPrefix", given.keyPrefix ?? DEFAULTS.keyPrefix),
    quarantine: boolean("quarantine", given.quarantine ?? DEFAULTS.quarantine),
    bootstrap: oneOf("bootstrap", given.bootstrap ?? DEFAULTS.bootstrap, ["auto", "explicit"]),
    allowEviction: boolean("allowEviction", given.allowEviction ?? DEFAULTS.allowEviction),
    lossGraceMs: number("lossGraceMs", given.lossGraceMs ?? DEFAULTS.lossGraceMs, 0),
    layout,
    lease: resolveLease({}, given, base, layout),
    wait: resolveWait({}, given, DEFAULTS.waitMs),
    once: resolveWait({ waitMs: 0 }, given, 0),
    given,
  };
}

interface Resolved {
  readonly layout: LockLayout;
  readonly lease: LeaseSettings;
  readonly wait: WaitSettings;
  readonly signal: AbortSignal | undefined;
}

/** The settings of one acquire. */
export interface ResolvedAcquire extends Resolved {
  readonly mode: LockMode;
  readonly reentrant: boolean | undefined;
  readonly owner: string | undefined;
}

/** Checks the options of one acquire. Throws as {@link resolveManagerOptions} does. */
export function resolveAcquireOptions(
  options: AcquireOptions<boolean>,
  manager: ManagerSettings,
  defaultWaitMs: number,
): ResolvedAcquire {
  checkKnown(options, ACQUIRE_OPTIONS);
  const { reentrant } = options;
  const layout = resolveLayout(options.layout, manager.layout);
  return {
    lease: resolveLease(options, manager.given, manager, layout),
    wait: resolveWait({ ...options, waitMs: options.waitMs ?? defaultWaitMs }, manager.given, 0),
    signal: resolveSignal(options.signal),
    layout,
    mode: resolveMode(options.mode),
    reentrant: reentrant === undefined ? undefined : boolean("reentrant", reentrant),
    owner: resolveOwner(options.owner),
  };
}

/** The settings of one election. */
export interface ResolvedElect extends Resolved {
  readonly onError: ElectOptions<boolean>["onError"];
}

/** Checks the options of one election. Throws as {@link resolveManagerOptions} does. */
export function resolveElectOptions(
  options: ElectOptions<boolean>,
  manager: ManagerSettings,
): ResolvedElect {
  checkKnown(options, ELECT_OPTIONS);
  const { onError } = options;
  if (onError !== undefined && typeof onError !== "function") {
    throw new TypeError(`\`onError\` must be a function, got ${show(onError)}`);
  }
  const layout = resolveLayout(options.layout, manager.layout);
  return {
    lease: resolveLease(options, manager.given, manager, layout),
    wait: resolveWait({ ...options, waitMs: Number.POSITIVE_INFINITY }, manager.given, 0),
    signal: resolveSignal(options.signal),
    layout,
    onError,
  };
}

/**
 * @throws TypeError if it is not a string, RangeError if it is empty or too long.
 */
export function checkName(name: unknown, option = "name"): asserts name is string {
  // Lone surrogates would all be encoded as the same key.
  const text = wellFormed(option, name);
  const bytes = text.length > MAX_NAME_BYTES ? text.length : Buffer.byteLength(text);
  if (bytes === 0 || bytes > MAX_NAME_BYTES) {
    throw new RangeError(`\`${option}\` must have 1 to ${MAX_NAME_BYTES} bytes, got ${bytes}`);
  }
}

function resolveSignal(signal: unknown): AbortSignal | undefined {
  if (signal === undefined || signal instanceof AbortSignal) return signal;
  throw new TypeError(`\`signal\` must be an AbortSignal, got ${show(signal)}`);
}

function resolveMode(mode: LockMode = "exclusive"): LockMode {
  if (LOCK_MODES.includes(mode)) return mode;
  throw new TypeError(`\`mode\` must be "exclusive" or "shared", got ${show(mode)}`);
}

function resolveLayout(layout: unknown, byDefault: LockLayout = DEFAULTS.layout): LockLayout {
  return layout === undefined ? byDefault : oneOf("layout", layout, LOCK_LAYOUTS);
}

function resolveOwner(owner: unknown): string | undefined {
  if (owner === undefined) return undefined;
  const text = wellFormed("owner", owner);
  if (text.length === 0 || text.length > MAX_OWNER_LENGTH) {
    throw new RangeError(
      `\`owner\` must have 1 to ${MAX_OWNER_LENGTH} characters, got ${text.length}`,
    );
  }
  if (text.startsWith(OWN_FIELDS)) {
    throw new RangeError(`\`owner\` must not begin with "${OWN_FIELDS}", got ${show(text)}`);
  }
  return text;
}

function resolveLease(
  options: LockOptions<boolean>,
  defaults: LockOptions<boolean>,
  base: Pick<ManagerSettings, "maxTtlMs" | "driftFactor" | "maxClockStepMs">,
  layout: LockLayout,
): LeaseSettings {
  const pick = <K extends keyof LockOptions>(key: K): LockOptions<boolean>[K] =>
    options[key] ?? defaults[key];
  const ttlMs = integer("ttlMs", pick("ttlMs") ?? DEFAULTS.ttlMs, MIN_TTL_MS);
  if (ttlMs > base.maxTtlMs) {
    throw new RangeError(
      `\`ttlMs\` must be at most the \`maxTtlMs\` of the LockManager (${base.maxTtlMs}), got ${ttlMs}`,
    );
  }
  const nodeTimeoutMs = number("nodeTimeoutMs", pick("nodeTimeoutMs") ?? nodeTimeoutOf(ttlMs), 1);
  if (nodeTimeoutMs >= ttlMs) {
    throw new RangeError(
      `\`nodeTimeoutMs\` must be less than \`ttlMs\` (${ttlMs}), got ${nodeTimeoutMs}`,
    );
  }
  const validityMs = ttlMs - driftMs(ttlMs, base.driftFactor);
  if (validityMs <= 0) {
    throw new RangeError(
      `\`ttlMs\` of ${ttlMs} leaves no validity at \`driftFactor\` ${base.driftFactor}`,
    );
  }
  const minValidityMs = number("minValidityMs", pick("minValidityMs") ?? DEFAULTS.minValidityMs, 0);
  if (minValidityMs >= validityMs) {
    throw new RangeError(
      `\`minValidityMs\` must be less than \`ttlMs\` less drift (${validityMs}), got ${minValidityMs}`,
    );
  }
  const lockDelayMs = integer("lockDelayMs", pick("lockDelayMs") ?? DEFAULTS.lockDelayMs, 0);
  const { driftFactor, maxTtlMs } = base;
  // A node that lost its data does not vote for maxTtlMs: no key may live longer.
  if (keptMs({ ttlMs, driftFactor, lockDelayMs }) > maxTtlMs) {
    throw new RangeError(
      `\`lockDelayMs\` with its drift and \`ttlMs\` (${ttlMs}) must be at most \`maxTtlMs\` (${maxTtlMs}), got ${lockDelayMs}`,
    );
  }
  const minHoldMs = integer("minHoldMs", pick("minHoldMs") ?? DEFAULTS.minHoldMs, 0);
  if (minHoldMs >= validityMs) {
    throw new RangeError(
      `\`minHoldMs\` must be less than \`ttlMs\` (${ttlMs}) less drift (${validityMs}), got ${minHoldMs}`,
    );
  }
  const clockStepMs = integer("clockStepMs", pick("clockStepMs") ?? DEFAULTS.clockStepMs, 0);
  if (clockStepMs > base.maxClockStepMs) {
    throw new RangeError(
      `\`clockStepMs\` must be at most that of the LockManager (${base.maxClockStepMs}), got ${clockStepMs}`,
    );
  }
  const leftMs = leftAtRenewalMs(validityMs, ttlMs);
  const noticeMs = pick("lossNoticeMs") ?? defaultLossNoticeMs(validityMs, ttlMs);
  const lossNoticeMs = number("lossNoticeMs", noticeMs, 0);
  if (lossNoticeMs > 0 && lossNoticeMs >= leftMs) {
    throw new RangeError(
      `\`lossNoticeMs\` must be less than what is left of a lock of ${ttlMs} ms when its renewal is due (${Math.floor(leftMs)}), got ${lossNoticeMs}`,
    );
  }
  const label = wellFormed("label", pick("label") ?? DEFAULTS.label);
  if (label.length > MAX_LABEL_LENGTH) {
    throw new RangeError(
      `\`label\` must have at most ${MAX_LABEL_LENGTH} characters, got ${label.length}`,
    );
  }
  return {
    ttlMs,
    nodeTimeoutMs,
    // The remaining life of the keys at the grant must cover the minimum hold.
    minValidityMs: Math.max(minValidityMs, minHoldMs),
    driftFactor,
    maxHoldMs: number("maxHoldMs", pick("maxHoldMs") ?? DEFAULTS.maxHoldMs, 1),
    renew: boolean("renew", pick("renew") ?? DEFAULTS.renew),
    fencing: boolean("fencing", pick("fencing") ?? DEFAULTS.fencing),
    label,
    lockDelayMs,
    minHoldMs,
    // Other clients read the keys of their layouts, and rely on their expiry.
    clockStepMs: layout === "redlock" ? clockStepMs : 0,
    lossNoticeMs,
  };
}

function resolveWait(
  options: WaitOptions,
  defaults: WaitOptions,
  defaultWaitMs: number,
): WaitSettings {
  const [retry, defaultRetry] = [options.retry ?? {}, defaults.retry ?? {}];
  for (const given of [defaultRetry, retry]) {
    if (typeof given !== "object" || given === null) {
      throw new TypeError(`\`retry\` must be an object, got ${show(given)}`);
    }
    checkKnown(given, ["minDelayMs", "maxDelayMs"], "retry.");
  }
  const minDelayMs = number(
    "retry.minDelayMs",
    retry.minDelayMs ?? defaultRetry.minDelayMs ?? DEFAULTS.retry.minDelayMs,
    1,
  );
  const maxDelayMs = number(
    "retry.maxDelayMs",
    retry.maxDelayMs ?? defaultRetry.maxDelayMs ?? Math.max(DEFAULTS.retry.maxDelayMs, minDelayMs),
    minDelayMs,
  );
  const waitMs = number("waitMs", options.waitMs ?? defaults.waitMs ?? defaultWaitMs, 0);
  const fair = boolean("fair", options.fair ?? defaults.fair ?? DEFAULTS.fair);
  return { waitMs, minDelayMs, maxDelayMs, fair };
}

function nodeTimeoutOf(ttlMs: number): number {
  return Math.min(Math.max(ttlMs / 20, 50), 1_000, ttlMs / 2);
}
