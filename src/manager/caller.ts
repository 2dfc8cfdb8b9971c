import { QuorateError } from "../api/errors.js";

/**
 * The same promise, but its errors name the caller. An error created when an answer arrives or a timer fires has only
 * our own frames in its stack; here, where the caller awaits us, the engine knows the caller. That costs nothing
 * unless there is an error.
 */
export async function asked<T>(asking: Promise<T>): Promise<T> {
  try {
    return await asking;
  } catch (error) {
    throw withCaller(error);
  }
}

/** One of our errors, with the current stack; a user's own error is unchanged. */
export function withCaller<E>(error: E): E {
  if (error instanceof QuorateError) Error.captureStackTrace(error, withCaller);
  return error;
}
