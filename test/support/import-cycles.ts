/** Files by path, each with those that it imports; those that are not among them do not count. */
export type Imports = ReadonlyMap<string, readonly string[]>;

/** A shortest way from each file back to itself, of files that import each other; each circle once. */
export function importCycles(imports: Imports): string[][] {
  const cycles = new Map<string, string[]>();
  for (const file of imports.keys()) {
    const cycle = wayBack(file, imports);
    if (cycle !== undefined) cycles.set(cycle.toSorted().join(" "), cycle);
  }
  return [...cycles.values()];
}

function wayBack(start: string, imports: Imports): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const file of queue) {
    for (const next of imports.get(file) ?? []) {
      if (next === start) return wayTo(file, cameFrom);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, file);
      queue.push(next);
    }
  }
  return undefined;
}

function wayTo(end: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const way = [end];
  for (let file = cameFrom.get(end); file !== undefined; file = cameFrom.get(file)) way.push(file);
  return way.toReversed();
}
