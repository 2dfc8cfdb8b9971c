/** A hash as one text, in order of its fields. */
export function hashText(fields: ReadonlyMap<string, string>): string {
  const inOrder = [...fields].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(Object.fromEntries(inOrder));
}
