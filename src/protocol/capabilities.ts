/**
 * What a server can do, as the handshake found out by trying it, and only where that is not possible by its kind.
 *
 * On the node's record they are words: `atomicScripts undeclaredKeys infoInScript runId pubSub role=master ...`.
 */
export interface Capabilities {
  /** A script runs without anything in between, as far as its kind of server says. */
  readonly atomicScripts: boolean;
  /** A client has seen that this run of it executes other commands between those of a script. */
  readonly interleaves: boolean;
  /** A script may use keys that its caller did not name. */
  readonly undeclaredKeys: boolean;
  /** A script may call INFO. */
  readonly infoInScript: boolean;
  /** It says which run of it this is. */
  readonly runId: boolean;
  /** A script may publish messages to waiters. Otherwise they poll. */
  readonly pubSub: boolean;
  /** It may delete keys that have a ttl when memory runs out. */
  readonly evicts: boolean;
  /** `maxmemory-policy`; "" if unknown. */
  readonly eviction: string;
  /** `master`, `slave`; "" if unknown. */
  readonly role: string;
  /** `standalone`, `cluster`; "" if unknown. */
  readonly mode: string;
  /** The version of Lua: `5.1`; "" if unknown. */
  readonly lua: string;
}

/** No server has more to say. */
const MAX_LENGTH = 1_024;

/** Parses the words of handshake.lua. Others are ignored: a later version may know more. */
export function parseCapabilities(text: string): Capabilities {
  const words = new Set(text.length > MAX_LENGTH ? [] : text.split(" "));
  const valueOf = (name: string): string => {
    const word = [...words].find((each) => each.startsWith(`${name}=`));
    return word === undefined ? "" : word.slice(name.length + 1);
  };
  return {
    atomicScripts: words.has("atomicScripts"),
    interleaves: words.has("interleaves"),
    undeclaredKeys: words.has("undeclaredKeys"),
    infoInScript: words.has("infoInScript"),
    runId: words.has("runId"),
    pubSub: words.has("pubSub"),
    evicts: words.has("evicts"),
    eviction: valueOf("eviction"),
    role: valueOf("role"),
    mode: valueOf("mode"),
    lua: valueOf("lua"),
  };
}

/** A Redis Cluster counted as one node: no script of it sees all keys, and it is not asked for anything. */
export const OF_CLUSTER = parseCapabilities("mode=cluster");

/**
 * Why a server cannot be used, or should not.
 *
 * - `replica`: not a master
 * - `cluster`: a member of a Cluster, which stores only some of the keys
 * - `eviction`: its policy may evict keys that have a ttl
 * - `permission`: the user may not run all commands that locks need
 * - `interleaves`: other commands were seen between those of a script
 * - `notAtomic`: its kind executes others between those of a script, unless it is told not to
 * - `info`: INFO may not be called, neither by a script nor by the client, so nothing is known about it
 * - `undeclaredKeys`: a script may not use keys that it derives from others
 * - `runId`: it does not say which run of it this is, so a restart goes unseen if the record survives it
 * - `laterRecord`: its record was written by a later version of the protocol
 * - `record`: its record was written by something else
 */
export interface ConfigProblem {
  readonly kind:
    | "replica"
    | "eviction"
    | "cluster"
    | "permission"
    | "interleaves"
    | "notAtomic"
    | "info"
    | "undeclaredKeys"
    | "runId"
    | "laterRecord"
    | "record";
  readonly message: string;
}

/** The problem of a server on which some of the keys are elsewhere. */
export const MEMBER_OF_CLUSTER =
  "a member of a Redis Cluster; give the node as new Cluster([...]) of ioredis, or use a server without hash slots";

// With the name of a node, each fits into the text of an error as a whole: what to do is at its end.

/** The problem of a server that was caught at it. */
export const INTERLEAVES: ConfigProblem = {
  kind: "interleaves",
  message:
    "it executes other commands between those of a script, so it grants locks twice; use another server",
};

const NOT_ATOMIC =
  "scripts of Garnet are not atomic; start it with --lua-transaction-mode, and set `atomicScripts: true` for it";

const NO_INFO =
  "INFO is denied, so its role, its eviction policy and its restarts are unknown; use another server";

const NO_UNDECLARED_KEYS =
  "a script may not use keys that it was not called with (Dragonfly: --default_lua_flags=allow-undeclared-keys)";

const NO_RUN_ID =
  "no script sees a run_id in INFO: restarts go unseen; if it keeps every write, set `acceptNoRunId: true`";

/** What is not a problem of a node for those who say so. */
export interface Excuses {
  /** An evicting policy is reported, but the node is used anyway. */
  readonly isEvictionAllowed: boolean;
  /** That it restarted is seen only by a record that is missing. */
  readonly isRunIdOptional: boolean;
  /** Its scripts are atomic although its kind's are not by default. */
  readonly areScriptsAtomic: boolean;
}

/** Whether the node is used in spite of it. */
export function isExcused({ kind }: ConfigProblem, excuses: Excuses): boolean {
  if (kind === "eviction") return excuses.isEvictionAllowed;
  if (kind === "notAtomic") return excuses.areScriptsAtomic;
  return kind === "runId" && excuses.isRunIdOptional;
}

/** What a server lacks, the worst first. */
export function lacksOf(capabilities: Capabilities): readonly ConfigProblem[] {
  const { role, mode, eviction, evicts, infoInScript, undeclaredKeys, runId } = capabilities;
  const problems: ConfigProblem[] = [];
  // All else is unknown then. Where it was read outside, the role is known, and the run id is not.
  if (!infoInScript && role === "") return [{ kind: "info", message: NO_INFO }];
  if (mode === "cluster") problems.push({ kind: "cluster", message: MEMBER_OF_CLUSTER });
  if (role !== "master") {
    const message =
      role === ""
        ? "INFO does not say whether it is a master; use another server"
        : `not a master (its role is ${role}); give its master`;
    problems.push({ kind: "replica", message });
  }
  if (capabilities.interleaves) problems.push(INTERLEAVES);
  else if (!capabilities.atomicScripts) problems.push({ kind: "notAtomic", message: NOT_ATOMIC });
  if (!undeclaredKeys) problems.push({ kind: "undeclaredKeys", message: NO_UNDECLARED_KEYS });
  if (!runId) problems.push({ kind: "runId", message: NO_RUN_ID });
  if (evicts) {
    const message = `maxmemory-policy ${eviction} may evict locks that are held; use noeviction`;
    problems.push({ kind: "eviction", message });
  }
  return problems;
}
