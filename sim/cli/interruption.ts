/**
 * An AbortSignal that Ctrl-C aborts, so that the results so far can still be reported. A second Ctrl-C ends the
 * process at once, as it does by default.
 */
export function interruption(): { readonly signal: AbortSignal; readonly stop: () => void } {
  const controller = new AbortController();
  const onSignal = (): void => controller.abort();
  process.once("SIGINT", onSignal);
  return { signal: controller.signal, stop: () => void process.off("SIGINT", onSignal) };
}
