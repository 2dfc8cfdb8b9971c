import type { Timer } from "../src/coordinator/ports.js";
import { WINDOW_BOUNDS } from "../src/protocol/admission.js";
import type { Quorum } from "../src/quorum.js";
import { GIVEN_UP } from "./call-result.js";
import type { About } from "./calls.js";
import type { LockSettings, Session } from "./scenario.js";
import type { SimProcess } from "./sim-process.js";

/** What a service asks for. */
export type Wanted = Pick<Session, "name" | "waitMs"> &
  Partial<Pick<Session, "abortAfterMs" | "mode" | "also" | "owner" | "permits" | "steal">>;

/** An acquire as a history has it, and within which time it promises to settle. */
export function acquireCall(
  { name, also = [], waitMs, mode, owner, permits, steal }: Wanted,
  settings: LockSettings,
  nodeTimeoutMs: number,
  quorum: Quorum,
): About {
  // The last attempt begins no later than waitMs, and may have to seal; for a permit it may begin
  // a node deadline later, if another was free. One who steals begins a node deadline later, where
  // another of its process was about to be granted.
  const isLonger = permits !== undefined || steal === true;
  const askedMs = (isLonger ? 3 : 2) * nodeTimeoutMs;
  // The one attempt of a call that does not wait comes after those of its process that are before it.
  const queuedMs = waitMs === 0 ? queueMs(settings, quorum) : 0;
  const isFair = settings.fair === true && steal === undefined;
  const names = [name, ...also].toSorted().join(", ");
  return {
    what: "acquire",
    name: permits === undefined ? names : `${name}#`,
    withinMs: waitMs + queuedMs + askedMs,
    ...{ waitMs, mode, ...(owner !== undefined && { owner }), ...(isFair && { isFair }) },
  };
}

/** How long an attempt may have to wait for those of its process that are before it, ms. */
export function queueMs(
  { window = WINDOW_BOUNDS.min, nodeTimeoutMs }: LockSettings,
  { context }: Quorum,
): number {
  const { waitingCount, underWayCount } = context.admission;
  // Each asks once, may have to seal, and is followed in another turn of the event loop.
  return Math.floor((waitingCount + underWayCount) / window) * (2 * nodeTimeoutMs + 10);
}

/** For one whose patience has an end: a signal, and the timer that aborts it. */
export function giveUpAfter(
  { clock }: SimProcess,
  afterMs: number | undefined,
): { readonly signal?: AbortSignal; readonly timer?: Timer } {
  if (afterMs === undefined) return {};
  const controller = new AbortController();
  const giveUp = (): void => controller.abort(GIVEN_UP);
  return { signal: controller.signal, timer: clock.setTimer(afterMs, giveUp) };
}
