/** `lost x9_Kq2`: a node has ended a lock of this process, other than by its release. */
const FORMAT = /^lost ([\w-]{6})$/u;

/**
 * The beginning of the ownerId; see `beginningOf`. Anybody who may publish can write such a message, so it proves
 * nothing; anything that a node would not send yields undefined.
 */
export function parseLossMessage(message: string): string | undefined {
  return FORMAT.exec(message)?.[1];
}
