/** Collects what nobody catches while the routine runs, which would end a process otherwise. */
export async function uncaughtDuring(run: () => Promise<void>): Promise<unknown[]> {
  const uncaught: unknown[] = [];
  process.setUncaughtExceptionCaptureCallback((error) => uncaught.push(error));
  try {
    await run();
  } finally {
    process.setUncaughtExceptionCaptureCallback(null);
  }
  return uncaught;
}
