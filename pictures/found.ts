/** A picture shows what happened in a run: what it needs must have happened. */
export function found<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new Error(`the run of this picture has not ${what}`);
  return value;
}
