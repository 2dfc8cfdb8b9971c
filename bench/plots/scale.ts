/** Positions of values on an axis, and its ticks. */
export interface Scale {
  readonly at: (value: number) => number;
  readonly ticks: readonly number[];
}

/** Pixel positions of the smallest and the largest value. */
export interface Extent {
  readonly from: number;
  readonly to: number;
}

/** Linear, from 0 to a round number above all values. */
export function linearScale(values: readonly number[], { from, to }: Extent): Scale {
  const step = roundStep(Math.max(...values, 0) / 5);
  const count = Math.max(1, Math.ceil(Math.max(...values, 0) / step));
  const max = count * step;
  return {
    at: (value) => from + ((to - from) * value) / max,
    ticks: Array.from({ length: count + 1 }, (_, index) => index * step),
  };
}

/** Logarithmic, from a power of ten below all values to one above them. All values must be above 0. */
export function logScale(values: readonly number[], { from, to }: Extent): Scale {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
  return {
    at: (value) => from + ((to - from) * (Math.log10(value) - low)) / (high - low),
    ticks: Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index)),
  };
}

/** One position per value, in the order given. */
export function placeScale(values: readonly number[], { from, to }: Extent): Scale {
  const width = (to - from) / values.length;
  return { at: (value) => from + (values.indexOf(value) + 0.5) * width, ticks: values };
}

/** The smallest of 1, 2 and 5 times a power of ten that is not below the value; 1 for 0. */
function roundStep(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= value) ?? 10);
}

/** A number as a person reads it. */
export const shown = (value: number): string => value.toLocaleString("en-US");
