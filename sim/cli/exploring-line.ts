import type { ExplorationCounts } from "../exhaust/explore.js";

/** How far an exhaustive search is. How far it has to go nobody knows: hence no bar. */
export function exploringLine(
  title: string,
  { stateCount, grantCount, depth }: ExplorationCounts,
  seconds: number,
  columns: number,
): string {
  const counts = `${stateCount} states, ${grantCount} grants judged, ${depth} deep`;
  return `${title}: ${counts}, ${seconds.toFixed(0)} s`.slice(0, Math.max(0, columns - 1));
}
