import type { Timer } from "../src/coordinator/ports.js";
import { WINDOW_BOUNDS } from "../src/coordinator/admission.js";
import type { Quorum } from "../src/nodes/open-quorum.js";
import { GIVEN_UP } from "./call-result.js";
import type { About } from "./calls.js";
import type { Queue } from "./oracles/history.js";
import type { LockSettings, Session } from "./scenario.js";
import type { SimProcess } from "./sim-process.js";

/** What a service asks for. */
export type Wanted = Pick<Session, "name" | "waitMs"> &
  Partial<
    Pick<
      Session,
      "abortAfterMs" | "mode" | "also" | "owner" | "permits" | "takes" | "steal" | "options"
    >
  >;

/**
 * An acquire as a history records it, and the time within which it promises to settle.
 *
 * @param isMore it wants more permits than its process knows of, and asks first how many there are
 */
export function acquireCall(
  { name, also = [], waitMs, mode, owner, permits, takes, steal, options }: Wanted,
  settings: LockSettings,
  quorum: Quorum,
  isMore = false,
): About {
  const { fair } = { ...settings, ...options };
  // The last attempt begins no later than waitMs, and may have to seal. For a permit it may begin one node
  // timeout later, if another permit was free; so may that of a reader or an owner, if the tokens of others that
  // were admitted with it came first; a steal may, if another caller in its process was about to be granted the lock.
  const isAdmitted = mode === "shared" || owner !== undefined;
  const isLonger = permits !== undefined || steal === true || isAdmitted;
  const isFair = fair === true && steal === undefined;
  // It asks first how many permits there are, or comes after one that does.
  const mayAsk = isMore || (permits !== undefined && isFair);
  const askedMs = ((isLonger ? 3 : 2) + (mayAsk ? 1 : 0)) * settings.nodeTimeoutMs;
  const names = [name, ...also].toSorted().join(", ");
  return {
    what: "acquire",
    name: permits === undefined ? names : `${name}#`,
    withinMs: waitMs + askedMs,
    ...(waitMs === 0 && { queue: queueOf(settings, quorum) }),
    ...{ waitMs, mode, ...(owner !== undefined && { owner }), ...(isFair && { isFair }) },
    ...(steal === true && { isStealing: true }),
    ...(takes !== undefined && { count: takes }),
    ...(isMore && { asksSize: true }),
    ...(options !== undefined && { hasOwnOptions: true }),
    ...(options?.maxWaiters !== undefined && { maxWaiters: options.maxWaiters }),
  };
}

/** The attempts of its process that a single attempt comes after. */
export function queueOf(
  { window = WINDOW_BOUNDS.min, nodeTimeoutMs }: LockSettings,
  { context }: Quorum,
): Queue {
  const { underWayCount } = context.admission;
  // Each asks once, may have to seal, and is followed in another turn of the event loop.
  return { underWayCount, window, attemptMs: 2 * nodeTimeoutMs + 10 };
}

/** For a caller that gives up: a signal, and the timer that aborts it. */
export function giveUpAfter(
  { clock }: SimProcess,
  afterMs: number | undefined,
): { readonly signal?: AbortSignal; readonly timer?: Timer } {
  if (afterMs === undefined) return {};
  const controller = new AbortController();
  const giveUp = (): void => controller.abort(GIVEN_UP);
  return { signal: controller.signal, timer: clock.setTimer(afterMs, giveUp) };
}
