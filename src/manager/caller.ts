import { QuorateError } from "../api/errors.js";

/** Options of the caller, whatever they are. */
type Given = { readonly signal?: AbortSignal | undefined } | null;

/**
 * The same promise, but its errors name the caller. An error created when an answer arrives or a timer fires has only
 * our own frames in its stack; here, where the caller awaits us, the engine knows the caller. That costs nothing
 * unless there is an error.
 */
export async function asked<T>(asking: Promise<T>, given?: Given): Promise<T> {
  try {
    return await asking;
  } catch (error) {
    throw withCaller(error, given);
  }
}

/**
 * One of our errors, with the current stack. A user's own error is unchanged, and so is the reason of the user's signal,
 * which can be one of ours.
 */
export function withCaller<E>(error: E, given?: Given): E {
  const isOurs = error instanceof QuorateError && error !== given?.signal?.reason;
  // Where users have it already, they may have frozen it.
  if (isOurs && Object.isExtensible(error)) Error.captureStackTrace(error, withCaller);
  return error;
}
