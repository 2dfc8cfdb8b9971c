/** A clock with the same reading in every process of this machine, ms. */
export const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;
