const PORT_TAKEN = /port is already allocated|address already in use|ports are not available/i;

/** True if a container could not be started because another program has its port. */
export function isPortTaken(error: unknown): boolean {
  return error instanceof Error && PORT_TAKEN.test(error.message);
}

/** Does something with a container; that it is gone, or already as wanted, is no failure. */
export async function tolerating(statuses: readonly number[], ask: () => Promise<unknown>) {
  try {
    await ask();
  } catch (error) {
    if (!statuses.includes(statusOf(error) ?? 0)) throw error;
  }
}

function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("statusCode" in error)) return undefined;
  return typeof error.statusCode === "number" ? error.statusCode : undefined;
}
