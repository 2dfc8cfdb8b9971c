/** One direction of a link, or both. */
export type LinkDirection = "both" | "toServer" | "toClient";

/** What a link does with the bytes of one direction. */
export interface LaneFaults {
  /** `drop` loses bytes, `hold` keeps them, `late` keeps them until the client has gone. */
  gate: "open" | "drop" | "hold" | "late";
  delayMs: number;
  jitterMs: number;
  /** Share of the chunks that are lost and sent again, from 0 to 1. */
  lossShare: number;
  /** How much later a lost chunk arrives. */
  retransmitMs: number;
  /** Up to how much later each chunk arrives, by a time of its own: chunks overtake each other. */
  mixUpMs: number;
  /** Undefined: no limit. */
  bytesPerSecond: number | undefined;
  /** Delay from the end of the client to the delivery of its kept bytes; only with `late`. */
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
    mixUpMs: 0,
    bytesPerSecond: undefined,
    lateMs: 0,
  };
}
