/** `12 ms`, `5.0 s`, `30 s` */
export function span(ms: number): string {
  const size = Math.abs(ms);
  if (size < 995) return `${Math.round(ms)} ms`;
  return `${(ms / 1_000).toFixed(size < 9_950 ? 1 : 0)} s`;
}

/** `3.0 s after <what>` or `99 ms before <what>` */
export function relativeTo(atMs: number, eventMs: number, what: string): string {
  const differenceMs = atMs - eventMs;
  return `${span(Math.abs(differenceMs))} ${differenceMs < 0 ? "before" : "after"} ${what}`;
}

/** `1 node`, `2 nodes` */
export function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? "" : "s"}`;
}
