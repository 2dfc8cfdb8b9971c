const PLUS = 43;
const MINUS = 45;
const COLON = 58;
const ONE = 49;

/** Length of `+OK`, of a null and of a one-digit integer, including line ends. */
const OK_LENGTH = 5;
const NULL_LENGTH = 5;
const INTEGER_LENGTH = 4;

/**
 * Reads replies of the kinds `+OK`, null and one-digit integer, and no others: the least work that replies can be.
 * Reports whether each is a success: OK or 1. Returns the bytes of an incomplete reply at the end.
 *
 * @throws Error with the text of an error reply.
 */
export function scanReplies(bytes: Buffer, onReply: (isGood: boolean) => void): Buffer {
  let at = 0;
  while (at < bytes.length) {
    const kind = bytes[at];
    if (kind === MINUS) throw new Error(bytes.toString("latin1", at).split("\r\n")[0]);
    const length = kind === COLON ? INTEGER_LENGTH : kind === PLUS ? OK_LENGTH : NULL_LENGTH;
    if (at + length > bytes.length) break;
    onReply(kind === PLUS || (kind === COLON && bytes[at + 1] === ONE));
    at += length;
  }
  return bytes.subarray(at);
}
