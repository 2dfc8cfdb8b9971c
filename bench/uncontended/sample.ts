/** What one run of one subject in one cell measured. */
export interface Sample {
  readonly cyclesPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time of the client process, microseconds a cycle. */
  readonly clientCpuUs: number;
  /** CPU time of all servers together, microseconds a cycle. */
  readonly serverCpuUs: number;
  /** Commands sent to a node, a cycle. */
  readonly sentPerNode: number;
  /** Commands executed by a node, a cycle: those sent and those that scripts call. */
  readonly executedPerNode: number;
}

/** CPU time of client and servers, microseconds a cycle. */
export const totalCpuUs = ({ clientCpuUs, serverCpuUs }: Sample): number =>
  clientCpuUs + serverCpuUs;
