/** Measurements of one run of one subject in one cell. */
export interface Sample {
  readonly cyclesPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time of the client process, microseconds per cycle. */
  readonly clientCpuUs: number;
  /** CPU time of all servers together, microseconds per cycle. */
  readonly serverCpuUs: number;
  /** Commands sent per node and cycle. */
  readonly sentPerNode: number;
  /** Commands executed per node and cycle: those sent and those that scripts call. */
  readonly executedPerNode: number;
}

/** CPU time of client and servers, microseconds per cycle. */
export const totalCpuUs = ({ clientCpuUs, serverCpuUs }: Sample): number =>
  clientCpuUs + serverCpuUs;
