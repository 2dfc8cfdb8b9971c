import type { WaitSettings } from "../protocol/next-move.js";
import type { LeaseSettings } from "../coordinator/lease-settings.js";
import type { LockLayout } from "../protocol/lock-layout.js";
import {
  keptMs,
  type KeyLife,
  defaultLossNoticeMs,
  leftAtRenewalMs,
  driftMs,
  validUntilMs,
} from "../protocol/lease-times.js";
import type {
  AcquireOptions,
  ElectOptions,
  LockManagerOptions,
  LockOptions,
  Quarantine,
  WaitOptions,
} from "../api/options.js";
import { kindFor, type KindOf } from "./name-keys.js";
import { checkPlace, DEFAULTS, LOCK_OPTIONS, OPTIONS, type Place } from "./table.js";

/** The options of a manager, resolved and checked. */
export interface ManagerSettings {
  readonly maxTtlMs: number;
  /** What becomes of it on the nodes' records. */
  readonly longestTtl: {
    /** Whether they are raised to it: only a value that was given is meant for all clients. */
    readonly raisesTtl: boolean;
    /** With which the record of a new node begins, ms. */
    readonly firstTtlMs: number;
    /** What a lock with the manager's own options needs, ms. */
    readonly usualTtlMs: number;
  };
  readonly driftFactor: number;
  readonly clockStepMs: number;
  readonly keyPrefix: string;
  readonly quarantine: Quarantine;
  readonly allowEviction: boolean;
  readonly lossGraceMs: number;
  readonly layout: LockLayout;
  readonly lease: LeaseSettings & LockDefaults;
  /** Of an acquire without options of its own. */
  readonly usual: ResolvedAcquire;
  /** The same, for one attempt. */
  readonly once: ResolvedAcquire;
  /** As given: a lock's own ttl determines its default node timeout. */
  readonly given: LockManagerOptions;
}

/** What a lock has of the manager, unless it says otherwise. */
type LockDefaults = { readonly [Name in keyof LockOptions]-?: NonNullable<LockOptions[Name]> };

/**
 * Merges with the defaults and checks, each option and all together.
 * @throws TypeError for a wrong type or an unknown option, RangeError for a value out of range;
 *   both name the option and the value.
 */
export function resolveManagerOptions(given: LockManagerOptions): ManagerSettings {
  checkPlace(given, "manager");
  const { driftFactor = DEFAULTS.driftFactor, lockDelayMs = DEFAULTS.lockDelayMs } = given;
  const lifeMs = keptMs({ ttlMs: given.ttlMs ?? DEFAULTS.ttlMs, driftFactor, lockDelayMs });
  const layout = given.layout ?? DEFAULTS.layout;
  const base = {
    maxTtlMs: given.maxTtlMs ?? Math.max(DEFAULTS.maxTtlMs, lifeMs),
    driftFactor,
    clockStepMs: given.clockStepMs ?? DEFAULTS.clockStepMs,
    layout,
    given,
  };
  const lease = resolveLease(given, DEFAULTS, base);
  const kindOf = kindFor({ layout, mode: OPTIONS.mode.byDefault, owner: undefined });
  const ofAny = { lease, kindOf, signal: undefined, reentrant: undefined };
  return {
    ...base,
    longestTtl: {
      raisesTtl: given.maxTtlMs !== undefined,
      firstTtlMs: given.maxTtlMs ?? DEFAULTS.maxTtlMs,
      usualTtlMs: lifeMs,
    },
    keyPrefix: given.keyPrefix ?? DEFAULTS.keyPrefix,
    quarantine: given.quarantine ?? DEFAULTS.quarantine,
    allowEviction: given.allowEviction ?? DEFAULTS.allowEviction,
    lossGraceMs: given.lossGraceMs ?? DEFAULTS.lossGraceMs,
    lease,
    usual: { ...ofAny, wait: resolveWait({}, given, given.waitMs ?? DEFAULTS.waitMs) },
    once: { ...ofAny, wait: resolveWait({}, given, 0) },
  };
}

interface Resolved {
  readonly lease: LeaseSettings;
  readonly wait: WaitSettings;
  readonly signal: AbortSignal | undefined;
}

/** The settings of one acquire. */
export interface ResolvedAcquire extends Resolved {
  readonly kindOf: KindOf;
  readonly reentrant: boolean | undefined;
}

/** Checks the options of one acquire. Throws as {@link resolveManagerOptions} does. */
export function resolveAcquireOptions(
  options: AcquireOptions,
  manager: ManagerSettings,
  defaultWaitMs: number,
  place: Place = "acquire",
): ResolvedAcquire {
  checkPlace(options, place);
  const { signal, mode = OPTIONS.mode.byDefault, reentrant, owner } = options;
  // The keys of a semaphore are in no layout of another library, nor are those of a lock that was given away.
  const isOwn = place === "permit" || place === "adopt";
  const layout = isOwn ? "redlock" : manager.layout;
  return {
    lease: leaseOf(options, manager, layout),
    wait: resolveWait(options, manager.given, defaultWaitMs),
    kindOf: kindFor({ layout, mode, owner }),
    signal,
    reentrant,
  };
}

/** The settings of one election. */
export interface ResolvedElect extends Resolved {
  readonly onError: ElectOptions["onError"];
}

/** Checks the options of one election. Throws as {@link resolveManagerOptions} does. */
export function resolveElectOptions(
  options: ElectOptions,
  manager: ManagerSettings,
): ResolvedElect {
  checkPlace(options, "elect");
  const { signal, onError } = options;
  return {
    lease: resolveLease(options, manager.lease, manager),
    // A candidate waits however many do.
    wait: resolveWait(
      { ...options, waitMs: Number.POSITIVE_INFINITY, maxWaiters: Number.POSITIVE_INFINITY },
      manager.given,
      0,
    ),
    signal,
    onError,
  };
}

/** Those of one lock, and what its holder says of itself, which the manager has no default for. */
type LeaseOptions = LockOptions & Pick<AcquireOptions, "value">;

/** Most calls say only how long they wait: what the manager has is resolved already. */
function leaseOf(
  options: LeaseOptions,
  manager: ManagerSettings,
  layout: LockLayout,
): LeaseSettings {
  let isUsual = layout === manager.layout && options.value === undefined;
  for (const name of LOCK_OPTIONS) isUsual &&= options[name] === undefined;
  return isUsual ? manager.lease : resolveLease(options, manager.lease, manager, layout);
}

/** Checks what concerns several options; each by itself has been checked. */
function resolveLease(
  options: LeaseOptions,
  usual: LockDefaults,
  manager: Pick<ManagerSettings, "maxTtlMs" | "driftFactor" | "clockStepMs" | "layout" | "given">,
  layout: LockLayout = manager.layout,
): LeaseSettings & LockDefaults {
  const { maxTtlMs, driftFactor, clockStepMs, given } = manager;
  const { ttlMs = usual.ttlMs, lockDelayMs = usual.lockDelayMs } = options;
  const { minHoldMs = usual.minHoldMs } = options;
  const validityMs = checkedValidityMs({ ttlMs, driftFactor, lockDelayMs }, maxTtlMs);
  checkMinHold("minHoldMs", minHoldMs, ttlMs, validityMs);
  // Written out: V8 gives each object that is copied by name or by spreading a shape of its own, which makes every
  // use of it slow: an acquire with a ttl took twice as long as one without.
  return {
    ttlMs,
    label: options.label ?? usual.label,
    renew: options.renew ?? usual.renew,
    maxHoldMs: options.maxHoldMs ?? usual.maxHoldMs,
    lockDelayMs,
    minHoldMs,
    maxTtlMs,
    nodeTimeoutMs: nodeTimeoutOf(given.nodeTimeoutMs, ttlMs),
    driftFactor,
    fencing: true,
    // Other clients read the keys of their layouts, and rely on their expiry.
    clockStepMs: layout === "redlock" ? clockStepMs : 0,
    lossNoticeMs: lossNoticeOf(given.lossNoticeMs, validityMs, ttlMs),
    value: options.value,
  };
}

/**
 * The same settings with a minimum hold of no less than that.
 *
 * @param option its name in messages
 * @throws RangeError if their ttl is too short for it
 */
export function withMinHold(
  lease: LeaseSettings,
  minHoldMs: number,
  option: string,
): LeaseSettings {
  const { ttlMs, driftFactor, minHoldMs: ownMs = 0 } = lease;
  if (minHoldMs <= ownMs) return lease;
  checkMinHold(option, minHoldMs, ttlMs, validUntilMs(0, ttlMs, driftFactor));
  return { ...lease, minHoldMs };
}

/** The keys of a lock have to outlive it. */
function checkMinHold(option: string, minHoldMs: number, ttlMs: number, validityMs: number): void {
  if (minHoldMs < validityMs) return;
  throw new RangeError(
    `\`${option}\` must be less than \`ttlMs\` (${ttlMs}) less drift (${validityMs}), got ${minHoldMs}`,
  );
}

/** Checks the ttl to which a lock is extended. Throws as {@link resolveManagerOptions} does. */
export function checkExtension(ttlMs: number, settings: LeaseSettings): void {
  OPTIONS.ttlMs.check("ttlMs", ttlMs);
  checkedValidityMs({ ...settings, ttlMs }, settings.maxTtlMs ?? Number.POSITIVE_INFINITY);
}

/** What a lock with that ttl is valid for, ms. */
function checkedValidityMs(life: KeyLife, maxTtlMs: number): number {
  const { ttlMs, driftFactor, lockDelayMs } = life;
  if (ttlMs > maxTtlMs) {
    throw new RangeError(
      `\`ttlMs\` must be at most the \`maxTtlMs\` of the LockManager (${maxTtlMs}), got ${ttlMs}`,
    );
  }
  const validityMs = ttlMs - driftMs(ttlMs, driftFactor);
  if (validityMs <= 0) {
    throw new RangeError(
      `\`ttlMs\` of ${ttlMs} leaves no validity at \`driftFactor\` ${driftFactor}`,
    );
  }
  // A node that lost its data does not vote for maxTtlMs: no key may live longer.
  if (keptMs(life) > maxTtlMs) {
    throw new RangeError(
      `\`lockDelayMs\` with its drift and \`ttlMs\` (${ttlMs}) must be at most \`maxTtlMs\` (${maxTtlMs}), got ${lockDelayMs}`,
    );
  }
  return validityMs;
}

/** The manager's, or a default, at most half of the ttl: a node that does not answer must not cost the whole lease. */
function nodeTimeoutOf(givenMs: number | undefined, ttlMs: number): number {
  return Math.min(givenMs ?? Math.min(Math.max(ttlMs / 20, 50), 1_000), ttlMs / 2);
}

/** The manager's, unless a lock has no more than that left when its renewal is due: each would be reported as late. */
function lossNoticeOf(givenMs: number | undefined, validityMs: number, ttlMs: number): number {
  if (givenMs !== undefined && givenMs < leftAtRenewalMs(validityMs, ttlMs)) return givenMs;
  return defaultLossNoticeMs(validityMs, ttlMs);
}

function resolveWait(
  options: WaitOptions,
  defaults: Pick<LockManagerOptions, "waitMs" | "fair" | "maxWaiters" | "retry">,
  defaultWaitMs: number,
): WaitSettings {
  const { minDelayMs = DEFAULTS.retry.minDelayMs } = defaults.retry ?? {};
  const usualMs = DEFAULTS.retry.maxDelayMs;
  const { maxWaiters = defaults.maxWaiters ?? DEFAULTS.maxWaiters } = options;
  return {
    waitMs: options.waitMs ?? defaultWaitMs,
    minDelayMs,
    maxDelayMs: defaults.retry?.maxDelayMs ?? Math.max(usualMs, minDelayMs),
    fair: options.fair ?? defaults.fair ?? DEFAULTS.fair,
    ...(maxWaiters < Number.POSITIVE_INFINITY && { maxWaiters }),
  };
}
