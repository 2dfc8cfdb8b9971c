const PORT_TAKEN = /port is already allocated|address already in use|ports are not available/i;

/** True if a container could not be started because another program has its port. */
export function isPortTaken(error: unknown): boolean {
  return error instanceof Error && PORT_TAKEN.test(error.message);
}

/** Ignores the given HTTP statuses: the container is gone, or already in the wanted state. */
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
