import type { Settings } from "../config.js";
import { hasUserInfo, withoutUserInfo } from "../credentials.js";
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
  readonly fingerprint: string;
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

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * So that quorate in the command means the same nodes and the same keys.
 *
 * @param passesNodes with what is needed to log in. Otherwise the command is not given it, since commands print their
 *   environment, and pass it on to others. Paths of files are no secret
 */
export function variablesOfSettings(
  { nodes, nodesFrom, options, file, passwordFile }: Settings,
  env: Variables,
  passesNodes: boolean,
): Variables {
  const urls = nodes.flatMap((node) =>
    typeof node === "string" ? node : ((node as { url?: string }).url ?? []),
  );
  const shown = passesNodes ? urls : urls.map(withoutUserInfo);
  const areInVariable = nodesFrom !== file;
  const isByValue = Boolean(env["QUORATE_PASSWORD"]) || (areInVariable && urls.some(hasUserInfo));
  return {
    ...(areInVariable && { QUORATE_NODES: shown.join(",") }),
    // Absolute: the command may work elsewhere.
    ...(file !== undefined && { QUORATE_CONFIG: file }),
    ...(passwordFile !== undefined && { QUORATE_PASSWORD_FILE: passwordFile }),
    ...(options.keyPrefix !== undefined && { QUORATE_KEY_PREFIX: options.keyPrefix }),
    // All or none: the rest of them would be tried where they do not belong.
    ...(!passesNodes && isByValue && NO_CREDENTIALS),
  };
}

const NO_CREDENTIALS = {
  QUORATE_USERNAME: undefined,
  QUORATE_PASSWORD: undefined,
  QUORATE_PASSWORD_FILE: undefined,
} as const;

/** Variables that identify a process of the command among all processes. */
export function marksOf(variables: ReturnType<typeof variablesOf>): readonly string[] {
  return ["QUORATE_NAMES", "QUORATE_VALID_UNTIL"].map((name) => `${name}=${variables[name]}`);
}
