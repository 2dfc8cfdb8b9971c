/** One direction of a link, or both. */
export type LinkDirection = "both" | "toServer" | "toClient";

/** What a link does with the bytes of one direction. */
export interface LaneFaults {
  /** `drop` loses bytes, `hold` keeps them, `late` keeps them until the client has gone. */
  gate: "open" | "drop" | "hold" | "late";
  delayMs: number;
  jitterMs: number;
  /** Undefined: no limit. */
  bytesPerSecond: number | undefined;
  /** How long after the client's end its kept bytes are delivered; with `late` only. */
  lateMs: number;
}

/** A direction without faults. */
export function noFaults(): LaneFaults {
  return { gate: "open", delayMs: 0, jitterMs: 0, bytesPerSecond: undefined, lateMs: 0 };
}
