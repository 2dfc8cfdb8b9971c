/** One direction of a link, or both. */
export type LinkDirection = "both" | "toServer" | "toClient";

/** What a link does with the bytes of one direction. */
export interface LaneFaults {
  /** `drop` loses bytes, `hold` keeps them, `late` keeps them until the client has gone. */
  gate: "open" | "drop" | "hold" | "late";
  delayMs: number;
  jitterMs: number;
  /** Share of the chunks that is lost and sent again, from 0 to 1. */
  lossShare: number;
  /** How much later a lost chunk arrives. */
  retransmitMs: number;
  /** Undefined: no limit. */
  bytesPerSecond: number | undefined;
  /** How long after the client's end its kept bytes are delivered; with `late` only. */
  lateMs: number;
}

/** A direction without faults. */
export function noFaults(): LaneFaults {
  return {
    gate: "open",
    delayMs: 0,
    jitterMs: 0,
    lossShare: 0,
    retransmitMs: 0,
    bytesPerSecond: undefined,
    lateMs: 0,
  };
}
