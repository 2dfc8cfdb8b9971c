/** What the simulator's commands end with. Safety is worse than liveness, whatever came first. */
export const EXIT_CODE = {
  fine: 0,
  /** A safety promise was broken. */
  unsafe: 1,
  /** Only liveness promises were broken. */
  stuck: 2,
  /** Nothing is shown: arguments that make no sense, a run that broke off, a world too large. */
  nothingShown: 3,
  /** Ctrl-C, as shells number it. */
  interrupted: 130,
} as const;
