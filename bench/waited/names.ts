export const nameOf = (index: number): string => `waited:${index}`;

/** The same in every process of this machine, ms. */
export const nowMs = (): number => performance.timeOrigin + performance.now();
