/** How a command ended: with an exit code, or by a signal. */
export type Ending =
  | { readonly kind: "exit"; readonly code: number }
  | { readonly kind: "signal"; readonly signal: NodeJS.Signals };

/** Bits of a status that hold the signal; 0 for a process that exited. */
const SIGNAL_BITS = 0x7f;

/**
 * Node.js tells of a real-time signal, which has no name, what it tells of a success: code 0, and no signal.
 *
 * @param status as of wait(2), if it is known; 0 where it may not be read
 * @returns for a signal without a name, the exit code that a shell has
 */
export function endingOf(
  code: number | null,
  signal: NodeJS.Signals | null,
  status: number | undefined,
): Ending {
  if (signal !== null) return { kind: "signal", signal };
  const unnamed = code === 0 && status !== undefined ? status & SIGNAL_BITS : 0;
  return { kind: "exit", code: unnamed === 0 ? (code ?? 0) : 128 + unnamed };
}
