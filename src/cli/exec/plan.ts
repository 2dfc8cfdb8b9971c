import type { Call, Values } from "../command.js";
import { checkSettings, type Checked } from "../connect.js";
import { EXIT, ExitError, UsageError } from "../exit-codes.js";
import { checkCommand } from "./command-path.js";
import { problemOf, stopTimes, type StopTimes } from "./stop-times.js";
import { inheritedStdio, problemOfDescriptor } from "./descriptors.js";
import { commandOf, signalOf, type RUN_OPTIONS } from "./lock-options.js";
import { DEFAULT_STOP_TIMEOUT_MS } from "./stop-timeout.js";
import { staysInTerminal } from "./tty.js";

/** Long enough for a node that answers slowly, short enough for a deploy that hangs. */
const DEFAULT_TTL_MS = 30_000;

/** The checked settings of a command that runs under a lock. */
export interface Plan {
  readonly command: readonly string[];
  readonly times: StopTimes;
  readonly signal: NodeJS.Signals;
  /** From a signal that is passed on to SIGKILL, ms; 0: never. */
  readonly stopTimeoutMs: number;
  readonly onLoss: "kill" | "signal" | "ignore";
  readonly isInTerminal: boolean;
  readonly hasGuard: boolean;
  readonly leavesGroup: boolean;
  /** Whether the command may log in to the nodes. */
  readonly passesNodes: boolean;
  readonly statusFd: number | undefined;
  /** What the command inherits. */
  readonly stdio: (number | "ignore")[];
  readonly settings: Checked;
}

/**
 * Checks everything that can be known before connecting.
 *
 * @throws UsageError, ConfigError, or ExitError for a command that does not exist
 */
export async function planOf(
  call: Call<typeof RUN_OPTIONS>,
  wanted: Parameters<typeof checkSettings>[2],
): Promise<Plan> {
  if (process.platform === "win32") {
    throw new ExitError("needs process groups, which Windows does not have", EXIT.system);
  }
  const { values, env } = call;
  const command = commandOf(values, call.command);
  const statusFd = checkedStatusFd(values);
  const signal = signalOf(values.signal);
  const settings = await checkSettings(call, overridesOf(values), wanted);
  const times = stopTimes(settings.lease.ttlMs, values.grace);
  const { lease, options } = settings;
  const { nodeTimeoutMs = lease.nodeTimeoutMs } = options;
  const problem = problemOf({ ...lease, nodeTimeoutMs }, times);
  if (problem !== undefined) throw new UsageError(problem);
  const isInTerminal = staysInTerminal(values.tty ?? "auto");
  checkCommand(command[0] ?? "", env["PATH"]);
  return {
    ...{ command, times, signal, isInTerminal, statusFd, settings },
    // Read before connecting: the command must not inherit the connections.
    stdio: inheritedStdio(statusFd),
    stopTimeoutMs: values["stop-timeout"] ?? DEFAULT_STOP_TIMEOUT_MS,
    onLoss: values["on-loss"] ?? "kill",
    hasGuard: values["no-guard"] !== true,
    passesNodes: values["pass-nodes"] === true,
    leavesGroup: values["leave-group"] === true,
  };
}

function overridesOf(values: Values<typeof RUN_OPTIONS>): Parameters<typeof checkSettings>[1] {
  return {
    defaults: { ttlMs: DEFAULT_TTL_MS, waitMs: Number.POSITIVE_INFINITY },
    options: {
      ttlMs: values.ttl,
      maxTtlMs: values["max-ttl"],
      lockDelayMs: values["lock-delay"],
      maxHoldMs: values["max-hold"],
      label: values.label,
    },
  };
}

function checkedStatusFd(values: Values<typeof RUN_OPTIONS>): number | undefined {
  const fd = values["status-fd"];
  const problem = fd === undefined ? undefined : problemOfDescriptor(fd);
  if (problem === undefined) return fd;
  throw new UsageError(`--status-fd ${fd} ${problem}`);
}
