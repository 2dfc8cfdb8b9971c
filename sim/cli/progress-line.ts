/** Progress of a campaign. */
export interface ProgressView {
  readonly doneCount: number;
  readonly totalCount: number;
  readonly failedCount: number;
  readonly seconds: number;
}

const BAR_WIDTH = 24;

/** For output to a file or a pipe: one line, now and then. */
export function countsLine(view: ProgressView): string {
  const { doneCount, totalCount, failedCount, seconds } = view;
  const counts = `${doneCount}/${totalCount} scenarios`;
  return `${counts}  ${perMinute(doneCount, seconds)} a minute  ${failedCount} failed`;
}

/** For a terminal: a bar before the counts, cut to one row because it is redrawn in place. */
export function barLine(view: ProgressView, columns: number): string {
  const { doneCount, totalCount } = view;
  const full = Math.floor((doneCount / totalCount) * BAR_WIDTH);
  const bar = "█".repeat(full) + "░".repeat(BAR_WIDTH - full);
  return `${bar} ${countsLine(view)}`.slice(0, Math.max(0, columns - 1));
}

/** 0 before there is anything to measure. */
export function perMinute(count: number, seconds: number): number {
  return seconds > 0 ? Math.round((count / seconds) * 60) : 0;
}
