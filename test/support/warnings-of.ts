/** The names of what Node.js warns of while that runs, and in the turn after. */
export async function warningsOf(run: () => void): Promise<string[]> {
  const names: string[] = [];
  const onWarning = ({ name }: Error): void => void names.push(name);
  process.on("warning", onWarning);
  try {
    run();
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.off("warning", onWarning);
  }
  return names;
}

/** Eleven, of which Node.js warns. */
export function listenOften(signal: AbortSignal): void {
  for (let count = 0; count < 11; count++) signal.addEventListener("abort", () => {});
}
