/** How a process has ended, in words that follow its name. */
export function exitText(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
}
