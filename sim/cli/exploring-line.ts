import type { ExplorationCounts } from "../exhaust/explore.js";

/** Progress of an exhaustive search. The total is unknown, so there is no bar. */
export function exploringLine(
  title: string,
  { stateCount, grantCount, depth }: ExplorationCounts,
  seconds: number,
  columns: number,
): string {
  const counts = `${stateCount} states, ${grantCount} grants judged, ${depth} deep`;
  return `${title}: ${counts}, ${seconds.toFixed(0)} s`.slice(0, Math.max(0, columns - 1));
}
