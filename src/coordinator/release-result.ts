/**
 * What a release found.
 *
 * - `released`: a quorum of nodes deleted our key, or it was passed on within the process
 * - `expired`: too many nodes no longer held our key: the lock had ended before
 * - `partial`: too many nodes did not answer to tell; they are sent the release when they are back
 * - `handedOver`: nothing was released, because the lock had been given to another process before
 */
export type ReleaseResult = "released" | "expired" | "partial" | "handedOver";
