/**
 * An AbortSignal that Ctrl-C aborts, so that what was found so far can still be told. A second
 * Ctrl-C ends the process at once, as it does by default.
 */
export function interruption(): { readonly signal: AbortSignal; readonly stop: () => void } {
  const controller = new AbortController();
  const onSignal = (): void => controller.abort();
  process.once("SIGINT", onSignal);
  return { signal: controller.signal, stop: () => void process.off("SIGINT", onSignal) };
}
