/** The settings of one lease, resolved: every value present and checked. */
export interface LeaseSettings {
  readonly ttlMs: number;
  readonly nodeTimeoutMs: number;
  readonly driftFactor: number;
  readonly minValidityMs: number;
  readonly maxHoldMs: number;
  readonly renew: boolean;
  readonly fencing: boolean;
  readonly label: string;
  /** How long the name stays closed behind the validity, unless it is released, ms; undefined: 0. */
  readonly lockDelayMs?: number;
  /** How long the name stays closed from the grant on, also when it is released, ms; undefined: 0. */
  readonly minHoldMs?: number;
  /** What a node's clock may gain on real time between two renewals, ms; undefined: 0. */
  readonly clockStepMs?: number;
  /** How long before the end of its validity a lease that was not renewed is late, ms; undefined or 0: never. */
  readonly lossNoticeMs?: number;
}
