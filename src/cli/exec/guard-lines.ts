import type { Target } from "./target.js";

/**
 * What quorate tells its guard, one line of JSON each. Points in time are durations from `sent`, on clocks that all
 * processes of a machine share.
 */
export type GuardLine =
  /** The first line: what the guard does if it has to act. */
  | {
      readonly kind: "hello";
      readonly signal: NodeJS.Signals;
      /** The longest time from the signal to the kill when quorate is gone, ms. */
      readonly graceMs: number;
      /** Whether it kills at all. */
      readonly kills: boolean;
      /** Parts of the environment that identify the command until its process is known. */
      readonly marks: readonly string[];
      /** What quorate removes at its end, and the guard if it cannot. */
      readonly dir: string | undefined;
    }
  /** The command has been started. */
  | { readonly kind: "target"; readonly target: Target }
  | {
      readonly kind: "until";
      readonly sent: Sent;
      readonly terminateInMs: number;
      readonly killInMs: number;
    }
  /** quorate itself has signalled the command. */
  | { readonly kind: "stopping" }
  /** The command has ended: nothing is left to guard. */
  | { readonly kind: "end" };

/** When a line was written, in ms: on the monotonic clock, and on the wall clock, which includes suspends. */
export interface Sent {
  readonly steadyMs: number;
  readonly wallMs: number;
}

/** Both clocks as all processes of this machine read them. */
export function readClocks(): Sent {
  return { steadyMs: Number(process.hrtime.bigint() / 1_000n) / 1_000, wallMs: Date.now() };
}

/** How long ago that was, ms: by the clock that advanced further. */
export function ageMs({ steadyMs, wallMs }: Sent, now: Sent): number {
  return Math.max(0, now.steadyMs - steadyMs, now.wallMs - wallMs);
}
