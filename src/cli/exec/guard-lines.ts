import type { Target } from "./target.js";

/**
 * What quorate tells its guard, a line of JSON each. Instants are durations from `sentMs`, on the clocks that all
 * processes of a machine share.
 */
export type GuardLine =
  /** First: what the guard does when it has to. */
  | {
      readonly kind: "hello";
      readonly signal: NodeJS.Signals;
      /** The longest time from the signal to the kill when quorate is gone, ms. */
      readonly graceMs: number;
      /** Whether it kills at all. */
      readonly kills: boolean;
      /** Parts of the environment by which the command is known until its process is. */
      readonly marks: readonly string[];
    }
  /** The command has been started. */
  | { readonly kind: "target"; readonly target: Target }
  | {
      readonly kind: "until";
      readonly sent: Sent;
      readonly terminateInMs: number;
      readonly killInMs: number;
    }
  /** The command has been told by quorate itself. */
  | { readonly kind: "stopping" }
  /** The command has ended, and all of its group: nothing is left to guard. */
  | { readonly kind: "end" };

/** When a line was written: on the monotonic clock, and on the wall clock, which sees suspends. Both in ms. */
export interface Sent {
  readonly steadyMs: number;
  readonly wallMs: number;
}

/** Both clocks as all processes of this machine read them. */
export function readClocks(): Sent {
  return { steadyMs: Number(process.hrtime.bigint() / 1_000n) / 1_000, wallMs: Date.now() };
}

/** How long ago that was, ms: by the clock that says more. */
export function ageMs({ steadyMs, wallMs }: Sent, now: Sent): number {
  return Math.max(0, now.steadyMs - steadyMs, now.wallMs - wallMs);
}
