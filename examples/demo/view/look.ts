import type { Style } from "./cells.js";

/** Widths of the columns that all lanes share. */
export interface Columns {
  readonly name: number;
  readonly place: number;
  readonly state: number;
  readonly holder: number;
  readonly bar: number;
}

const FIXED = { name: 11, place: 8, state: 18, holder: 10 };
const BAR_FROM = FIXED.name + FIXED.place + FIXED.state + FIXED.holder;
/** What stands behind a bar, and one column that stays free. */
const BEHIND_BAR = 9;

/** The bar takes what the terminal has to give, up to what is still pleasant to look at. */
export function columnsFor(width: number): Columns {
  return { ...FIXED, bar: Math.min(48, Math.max(4, width - BAR_FROM - BEHIND_BAR)) };
}

export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

export function colourOf(service: string): Style {
  return service === "A" ? "cyan" : "magenta";
}
