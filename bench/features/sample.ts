/** What a cycle of acquire and release costs on one set of nodes. */
export interface CycleCost {
  readonly cyclesPerSecond: number;
  /** CPU time of the client, microseconds. */
  readonly clientUs: number;
  /** Time that all nodes spend in scripts, microseconds. */
  readonly scriptsUs: number;
}

/** A round: without the feature, and with it. */
export interface FeaturesSample {
  readonly plain: CycleCost;
  readonly used: CycleCost;
}

const costUs = ({ clientUs, scriptsUs }: CycleCost): number => clientUs + scriptsUs;

/** 1 if the feature costs nothing; less if a cycle takes more CPU time with it. */
export const speedWith = ({ plain, used }: FeaturesSample): number => costUs(plain) / costUs(used);
