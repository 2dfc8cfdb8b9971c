import type { AcquireOptions, LockManager, LockManagerOptions } from "../index.js";
import type { KindOf } from "../options/name-keys.js";
import type { Call } from "./command.js";
import { loadSettings, type Settings } from "./config.js";
import { ConfigError, UsageError } from "./exit-codes.js";
import { noteDifferences } from "./nodes-changed.js";
import { printable } from "./output.js";

/** What a command will request from the library, so that all of it is checked before connecting. */
export interface Wanted {
  readonly names?: readonly string[];
  readonly options?: AcquireOptions;
  readonly isElection?: boolean;
  /** Number of permits of a semaphore. */
  readonly permits?: number | undefined;
}

/** A command's settings for the lock manager: its defaults, and its options, which take precedence over the file. */
export interface Overrides {
  readonly defaults?: LockManagerOptions;
  readonly options?: LockManagerOptions;
}

/** Checked settings of a command line, before connecting. */
export interface Checked extends Settings {
  /** The settings of the lock, with all defaults. */
  readonly lease: {
    readonly ttlMs: number;
    readonly nodeTimeoutMs: number;
    readonly maxHoldMs: number;
    readonly label: string;
    readonly waitMs: number;
  };
}

/**
 * Makes all checks that the library would make, in the same way.
 *
 * @throws UsageError that names the option of the command line; ConfigError for an error in the config file
 */
export async function checkSettings(
  call: Pick<Call, "globals" | "env" | "output">,
  overrides: Overrides = {},
  { names = [], options = {}, isElection = false, permits }: Wanted = {},
): Promise<Checked> {
  const settings = await loadSettings(call);
  // Imported here, so that help and completion do not load the library.
  const { resolveAcquireOptions, resolveElectOptions, resolveManagerOptions } =
    await import("../options/resolve.js");
  const { checkedKeysOf, checkedLockOfAll, checkForKind } = await import("../options/name-keys.js");
  const { permitLock } = await import("../kinds/permit.js");
  const { file } = settings;
  if (file !== undefined) inFile(file, () => resolveManagerOptions(settings.options));
  const ofCall = {
    keyPrefix: call.globals["key-prefix"] ?? call.env["QUORATE_KEY_PREFIX"],
    nodeTimeoutMs: call.globals["node-timeout"],
  };
  const fallback = overrides.defaults ?? {};
  const merged = {
    ...fallback,
    ...settings.options,
    ...given(ofCall),
    ...given(overrides.options ?? {}),
  };
  const lease = onCommandLine(() => {
    const manager = resolveManagerOptions(merged);
    const resolved = isElection
      ? { ...resolveElectOptions(options, manager), kindOf: manager.usual.kindOf }
      : resolveAcquireOptions(options, manager, manager.usual.wait.waitMs);
    const { keyPrefix } = manager;
    const kindOf: KindOf =
      permits === undefined ? resolved.kindOf : (keys) => permitLock(keys, permits);
    if (names.length > 0) {
      const keys =
        names.length === 1
          ? kindOf(checkedKeysOf(keyPrefix, names[0], false))
          : checkedLockOfAll(keyPrefix, names, false, kindOf);
      checkForKind(keys, resolved.lease);
    }
    return { ...resolved.lease, ...resolved.wait };
  });
  return { ...settings, options: merged, lease };
}

/** For names that are only queried, each separately. @throws UsageError for a name that no lock can have */
export async function checkNames({ options }: Checked, names: readonly string[]): Promise<void> {
  const { resolveManagerOptions } = await import("../options/resolve.js");
  const { checkedKeysOf } = await import("../options/name-keys.js");
  const { keyPrefix } = resolveManagerOptions(options);
  onCommandLine(() => {
    for (const name of names) checkedKeysOf(keyPrefix, name, false);
  });
}

/**
 * Runs a function that may reject the nodes.
 *
 * @throws UsageError or ConfigError that says where they were given
 */
export function checkingNodes<T>({ nodesFrom, file }: Settings, open: () => T): T {
  return nodesFrom === file ? inFile(file ?? "", open) : onCommandLine(open, nodesFrom);
}

/** A lock manager for checked settings. Warnings of the library go to stderr. */
async function connect(
  settings: Settings,
  { output }: Pick<Call, "output">,
  isLooking: boolean,
): Promise<LockManager> {
  const { LockManager } = await import("../index.js");
  const { looking } = await import("../nodes/looking.js");
  const { nodes } = settings;
  const options = isLooking ? looking(settings.options) : settings.options;
  const locks = checkingNodes(settings, () => new LockManager(nodes, options));
  noteDifferences(locks);
  const lists = new Set<string>();
  locks.on("warning", ({ code, message }) => {
    if (code === "QUORATE_NODE_LIST_MISMATCH") {
      // All nodes have the same list on record, most likely: it is told once, of the first of them.
      const list = message.slice(message.indexOf(": "));
      if (lists.has(list)) return;
      lists.add(list);
    }
    const text = `warning: ${printable(message)}`;
    // A quorum does without the node, so no command fails because of it.
    if (code === "QUORATE_MISCONFIGURED_NODE") output.alert(text);
    else output.note(text);
  });
  locks.on("node", ({ node, state, detail }) =>
    output.detail(printable(`${node} is ${state}${detail === "" ? "" : `: ${detail}`}`)),
  );
  return locks;
}

/**
 * Checks, connects and runs; always closes the connections.
 *
 * @param isLooking it takes no locks: no record is written on the nodes
 */
export async function withLocks<T>(
  call: Pick<Call, "globals" | "env" | "output">,
  wanted: Wanted,
  run: (locks: LockManager) => Promise<T>,
  isLooking = false,
): Promise<T> {
  return await withConnection(await checkSettings(call, {}, wanted), call, run, isLooking);
}

/** The same for checked settings. */
export async function withConnection<T>(
  settings: Settings,
  call: Pick<Call, "output">,
  run: (locks: LockManager) => Promise<T>,
  isLooking = false,
): Promise<T> {
  const locks = await connect(settings, call, isLooking);
  try {
    return await run(locks);
  } finally {
    await locks.close();
    locks.removeAllListeners();
  }
}

/** Without undefined values, so that they replace nothing. */
function given<T extends object>(options: T): Partial<T> {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<T>;
}

function inFile<T>(file: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (isArgumentError(error)) throw new ConfigError(`${file}: ${error.message}`);
    throw error;
  }
}

function onCommandLine<T>(check: () => T, nodesFrom = "nodes"): T {
  try {
    return check();
  } catch (error) {
    if (isArgumentError(error)) throw new UsageError(inOptions(error.message, nodesFrom));
    throw error;
  }
}

function isArgumentError(error: unknown): error is TypeError | RangeError {
  return error instanceof TypeError || error instanceof RangeError;
}

/** Options of the library, and their names on the command line. All others can only be set in the config file. */
export const OPTION_NAMES: Readonly<Record<string, string>> = {
  ttlMs: "--ttl",
  maxTtlMs: "--max-ttl",
  nodeTimeoutMs: "--node-timeout",
  lockDelayMs: "--lock-delay",
  minHoldMs: "--min-hold",
  maxHoldMs: "--max-hold",
  label: "--label",
  owner: "--owner",
  keyPrefix: "--key-prefix",
  waitMs: "--wait",
  fingerprint: "--fingerprint",
  mode: "--shared",
  name: "NAME",
  names: "NAME...",
};

/** A message of the library, with the option names of the command line. */
function inOptions(message: string, nodesFrom: string): string {
  return message
    .replace(/`(\w+)(?:: "shared")?`/g, (whole, option: string) => OPTION_NAMES[option] ?? whole)
    .replace(/`names\[(\d+)\]`/g, (_, at: string) => `NAME ${Number(at) + 1}`)
    .replace(/`nodes(\[\d+\])?`/g, (_, at = "") => `${nodesFrom}${at}`);
}
