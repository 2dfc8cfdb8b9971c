/** Stable names of the things a test machine may lack. Match on `error.code`. */
export type UnavailableCode =
  | "QUORATE_TESTING_NO_SERVER"
  | "QUORATE_TESTING_NO_DOCKER"
  | "QUORATE_TESTING_NO_TESTCONTAINERS"
  | "QUORATE_TESTING_NO_CLOCK";

/** The requested feature is not available on this machine; the message says what is missing. */
export class UnavailableError extends Error {
  override readonly name = "UnavailableError";
  readonly code: UnavailableCode;

  constructor(code: UnavailableCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
