/** Whether a lock with the ones is one with the others as well: it can be passed on. */
export function isSame(settings: LeaseSettings, others: LeaseSettings): boolean {
  if (settings === others) return true;
  const names = Object.keys({ ...settings, ...others }) as (keyof LeaseSettings)[];
  return names.every((name) => settings[name] === others[name]);
}

/** The settings of one lease, resolved: every value present and checked. */
export interface LeaseSettings {
  readonly ttlMs: number;
  /** The longest ttl to which it may be extended, with its lock-delay, ms; undefined: no limit of its own. */
  readonly maxTtlMs?: number;
  readonly nodeTimeoutMs: number;
  readonly driftFactor: number;
  readonly maxHoldMs: number;
  readonly renew: boolean;
  /**
   * Off for the drop-in for redlock only: its locks have no token, and one would cost them a tenth: 3 to 14 % in time, 7
   * to 11 % of the client's CPU and 7 to 22 % of the server's, on one node and on five.
   */
  readonly fencing: boolean;
  readonly label: string;
  /**
   * Others may know the owner, and extend or release the lock by it. So nothing is sent for the lease except on
   * request: no timer ends it, and its keys are left to expire. Default: false.
   */
  readonly isByValue?: boolean;
  /** What its holder says of itself to those who observe the name; undefined: nothing. */
  readonly value?: string | undefined;
  /** How long before the end of its validity the lease is renewed, ms; undefined: after a third of its ttl. */
  readonly renewBeforeMs?: number;
  /** How long the name stays closed after the validity ends, unless it is released, ms; undefined: 0. */
  readonly lockDelayMs?: number;
  /** How long the name stays closed after the grant, even if it is released, ms: a grant with less validity is none; undefined: 0. */
  readonly minHoldMs?: number;
  /** How far a node's clock may gain on real time between two renewals, ms; undefined: 0. */
  readonly clockStepMs?: number;
  /**
   * How long before the end of its validity a lease that was not renewed is reported as late, ms; undefined or 0:
   * never.
   */
  readonly lossNoticeMs?: number;
}
