import { show } from "../runtime/validate.js";
import type { AcquireOptions, RequestOptions } from "../api/options.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { ResolvedAcquire } from "./resolve.js";
import { checkPlace, OPTIONS } from "./table.js";

/** How a request acquires its lock. */
export interface Request {
  /** The options that an acquire knows, if there are any. */
  readonly options?: AcquireOptions;
  readonly ifAvailable: boolean;
  readonly steal: boolean;
}

const PLAIN: Request = { ifAvailable: false, steal: false };

/** Separates the options of an acquire from those of a request only. @throws TypeError */
export function requestOf(given: RequestOptions | undefined): Request {
  const isObject = typeof given === "object" && given !== null;
  // The acquire reports what is wrong with it.
  if (!isObject || !("ifAvailable" in given || "steal" in given)) return PLAIN;
  checkPlace(given, "request");
  const {
    ifAvailable = OPTIONS.ifAvailable.byDefault,
    steal = OPTIONS.steal.byDefault,
    ...options
  } = given;
  return { options, ifAvailable, steal };
}

/**
 * The remaining checks once name and options are resolved, in the order of the Web Locks API.
 *
 * @throws TypeError if the callback is not a function; a DOMException named `NotSupportedError` for options that
 *   exclude each other, and for a name that begins with "-".
 */
export function checkRequest(
  { ifAvailable, steal }: Request,
  callback: unknown,
  { name, names, mode, owner, layout }: LockKind,
  { signal, reentrant }: ResolvedAcquire,
): void {
  if (typeof callback !== "function") {
    throw new TypeError(
      `\`callback\` must be a function, got ${show(callback)}: the last argument of request is what runs under the lock`,
    );
  }
  if (isReserved(name) || names.some(isReserved)) {
    throw notSupported(`\`name\` must not begin with "-" in a request, got ${show(name)}`);
  }
  if (ifAvailable && signal !== undefined && !steal) throw clash("ifAvailable", "`signal`");
  if (!steal) return;
  if (ifAvailable) throw clash("steal", "`ifAvailable`");
  if (mode === "shared") throw clash("steal", '`mode: "shared"`');
  if (signal !== undefined) throw clash("steal", "`signal`");
  if (names.length > 1) throw clash("steal", "several names");
  if (owner !== undefined) throw clash("steal", "`owner`");
  if (reentrant === true) throw clash("steal", "`reentrant`");
  if (layout !== "redlock") throw clash("steal", `the layout ${show(layout)}`);
}

function isReserved(name: string): boolean {
  return name.startsWith("-");
}

function clash(option: string, other: string): DOMException {
  return notSupported(`\`${option}\` cannot be combined with ${other}`);
}

function notSupported(message: string): DOMException {
  return new DOMException(message, "NotSupportedError");
}
