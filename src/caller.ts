import { QuorateError } from "./errors.js";

/**
 * The same promise, but what it rejects with names its caller. An error that is made when an answer
 * comes in, or a timer fires, has nothing but our own frames in its stack; here, where the caller waits for
 * us, the engine knows who that is. That costs nothing unless there is an error.
 */
export async function asked<T>(asking: Promise<T>): Promise<T> {
  try {
    return await asking;
  } catch (error) {
    throw withCaller(error);
  }
}

/** The error, if it is one of ours, with the stack of this moment; a user's own is left as it is. */
export function withCaller<E>(error: E): E {
  if (error instanceof QuorateError) Error.captureStackTrace(error, withCaller);
  return error;
}
