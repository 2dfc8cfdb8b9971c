/** Exit codes of the simulator's commands. A safety violation outranks a liveness violation, whichever came first. */
export const EXIT_CODE = {
  fine: 0,
  /** A safety promise was broken. */
  unsafe: 1,
  /** Only liveness promises were broken. */
  stuck: 2,
  /** Nothing was shown: invalid arguments, a run that broke off, or a world that is too large. */
  nothingShown: 3,
  /** Ctrl-C, with the exit code that shells use. */
  interrupted: 130,
} as const;
