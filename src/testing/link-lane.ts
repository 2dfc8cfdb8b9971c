import type { Socket } from "node:net";
import type { Alarm } from "./alarm.js";
import type { LaneFaults } from "./link-faults.js";
import { dropStream } from "../redis/drop-stream.js";

type Payload = Buffer | "end" | "reset";

interface Item {
  payload: Payload;
  dueAt: number;
}

/**
 * One direction of one connection: a queue that delivers bytes in the order of their arrival, even
 * if delays change in between; unless they are mixed up. The end of the stream travels in the same queue.
 */
export class LinkLane {
  readonly #to: Socket;
  readonly #faults: LaneFaults;
  readonly #alarm: Alarm;
  readonly #queue: Item[] = [];
  #cancelAlarm: (() => void) | undefined;
  #lastDueAt = 0;
  #lineFreeAt = 0;
  #lost = false;
  #ended = false;
  #destroyed = false;

  constructor(to: Socket, faults: LaneFaults, alarm: Alarm) {
    this.#to = to;
    this.#faults = faults;
    this.#alarm = alarm;
  }

  /** True when bytes of this stream were lost, so that it can never continue. */
  get isBroken(): boolean {
    return this.#lost;
  }

  push(bytes: Buffer): void {
    if (!this.#ended) this.#enqueue(bytes);
  }

  /** The source ended or reset its stream. Earlier bytes are still delivered first. */
  end(how: "end" | "reset"): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#enqueue(how);
  }

  /** Delivers the bytes kept by `late`, `lateMs` from now. Call it when the client has gone. */
  releaseLate(): void {
    const dueAt = performance.now() + this.#faults.lateMs;
    for (const item of this.#queue) if (item.dueAt === Infinity) item.dueAt = dueAt;
    this.update();
  }

  /** Delivers everything that waits for a delay or for the client's end. */
  flush(): void {
    for (const item of this.#queue) item.dueAt = 0;
    this.#lastDueAt = 0;
    this.#lineFreeAt = 0;
    this.update();
  }

  destroy(): void {
    this.#destroyed = true;
    this.#cancelAlarm?.();
    this.#queue.length = 0;
  }

  #enqueue(payload: Payload): void {
    this.#queue.push({ payload, dueAt: this.#dueAt(payload) });
    if (this.#faults.mixUpMs > 0) this.#queue.sort((a, b) => a.dueAt - b.dueAt);
    this.update();
  }

  #dueAt(payload: Payload): number {
    const { gate, delayMs, jitterMs, lossShare, retransmitMs, mixUpMs } = this.#faults;
    if (gate === "late") return Infinity;
    const lossMs = Math.random() < lossShare ? retransmitMs : 0;
    // Jitter and loss must not let later bytes overtake earlier ones.
    const dueAt = performance.now() + delayMs + Math.random() * jitterMs + lossMs;
    const dueInOrder = Math.max(this.#lastDueAt, dueAt);
    const isMixedUp = mixUpMs > 0 && payload instanceof Buffer;
    const dueMixedUp = dueAt + Math.random() * mixUpMs;
    // The end comes behind all bytes.
    this.#lastDueAt = isMixedUp ? Math.max(this.#lastDueAt, dueMixedUp) : dueInOrder;
    return isMixedUp ? dueMixedUp : dueInOrder;
  }

  /** Delivers what is due, by the faults as they are now. */
  update(): void {
    this.#cancelAlarm?.();
    if (this.#destroyed) return;
    if (this.#faults.gate === "drop") {
      this.#lost ||= this.#queue.length > 0;
      this.#queue.length = 0;
    }
    if (this.#faults.gate === "hold" || this.#lost) return;
    for (let item = this.#queue[0]; item !== undefined; item = this.#queue[0]) {
      const waitMs = Math.max(item.dueAt, this.#lineFreeAt) - performance.now();
      if (waitMs === Infinity) return;
      if (waitMs > 0) {
        this.#cancelAlarm = this.#alarm(waitMs, () => this.update());
        return;
      }
      this.#deliver(item);
    }
  }

  #deliver(item: Item): void {
    const { payload } = item;
    if (payload === "end") this.#to.end();
    else if (payload === "reset") dropStream(this.#to);
    else {
      const part = this.#nextPart(payload);
      if (this.#to.writable) this.#to.write(part);
      if (part.length < payload.length) {
        item.payload = payload.subarray(part.length);
        return;
      }
    }
    this.#queue.shift();
  }

  /** With limited bandwidth, a slice of about 20 ms; the line is busy for that long. */
  #nextPart(bytes: Buffer): Buffer {
    const { bytesPerSecond } = this.#faults;
    if (bytesPerSecond === undefined) return bytes;
    const part = bytes.subarray(0, Math.max(1, Math.floor(bytesPerSecond / 50)));
    this.#lineFreeAt = performance.now() + (part.length / bytesPerSecond) * 1000;
    return part;
  }
}
