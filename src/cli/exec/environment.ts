import type { Settings } from "../config.js";
import type { LockMode } from "../../index.js";

/** What is held while a command runs: a lock, a permit or a term. */
export interface Held {
  readonly names: readonly string[];
  readonly fencingToken: number | undefined;
  readonly remainingMs: number;
  /** By the wall clock. */
  readonly validUntil: Date;
  readonly mode: LockMode;
  readonly permit: number | undefined;
  readonly label: string | undefined;
  /** As `quorate inspect` shows it. The ownerId itself is never passed on: anyone who knows it can release the lock. */
  readonly fingerprint: string | undefined;
}

/** Variables that describe the lock. Undefined ones are removed: they would be those of an enclosing command. */
export function variablesOf(held: Held): Readonly<Record<string, string | undefined>> {
  const { names, fencingToken, remainingMs, validUntil, mode, permit, label, fingerprint } = held;
  return {
    QUORATE_NAME: names[0],
    QUORATE_NAMES: JSON.stringify(names),
    QUORATE_FENCING_TOKEN: fencingToken?.toString(),
    QUORATE_FINGERPRINT: fingerprint,
    QUORATE_MODE: mode,
    QUORATE_PERMIT: permit?.toString(),
    QUORATE_LABEL: label,
    QUORATE_VALID_MS: String(Math.floor(remainingMs)),
    QUORATE_VALID_UNTIL: String(Math.floor(validUntil.getTime())),
  };
}

/** So that `quorate held` in the command asks the same nodes for the same keys. */
export function variablesOfSettings({
  nodes,
  nodesFrom,
  options,
  file,
}: Settings): Readonly<Record<string, string>> {
  const urls = nodes.map((node) =>
    typeof node === "string" ? node : (node as { url?: string }).url,
  );
  return {
    ...(nodesFrom === "--nodes" && { QUORATE_NODES: urls.join(",") }),
    ...(file !== undefined && { QUORATE_CONFIG: file }),
    ...(options.keyPrefix !== undefined && { QUORATE_KEY_PREFIX: options.keyPrefix }),
  };
}

/** Variables that identify a process of the command among all processes. */
export function marksOf(variables: ReturnType<typeof variablesOf>): readonly string[] {
  return ["QUORATE_NAMES", "QUORATE_VALID_UNTIL"].map((name) => `${name}=${variables[name]}`);
}
