/** Hash slots of a Cluster. */
export const SLOT_COUNT = 16_384;

/** Numbers that are hashed at once: on a slow machine it takes about a millisecond. */
export const SLICE_SIZE = 4_096;

/** CRC-16/XMODEM of each byte, with which Redis Cluster hashes keys. */
const CRC16 = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  return crc;
});

const ZERO = 48;

/**
 * By hash slot: the smallest number whose digits hash to it, the same in every client. A hundred thousand numbers have
 * to be hashed before every slot has one. The hash of a number goes on from that of its digits but the last.
 */
export class SlotTags {
  /** Numbers that have been hashed. */
  hashedCount = 0;
  readonly #tags: (string | undefined)[] = Array.from({ length: SLOT_COUNT }, () => undefined);
  /** Of the first numbers; the larger ones begin with their digits. */
  readonly #crcs = new Uint16Array(SLOT_COUNT);
  #leftCount = SLOT_COUNT;

  /** Every slot has its number. */
  get isComplete(): boolean {
    return this.#leftCount === 0;
  }

  /** Hashes so many more numbers, or fewer if that is all. */
  hashMore(count: number): void {
    const end = this.hashedCount + count;
    while (this.hashedCount < end && !this.isComplete) this.#hashNext();
  }

  #hashNext(): void {
    const next = this.hashedCount++;
    const before = next < 10 ? 0 : (this.#crcs[Math.floor(next / 10)] as number);
    const byte = (before >> 8) ^ (ZERO + (next % 10));
    const crc = ((before << 8) & 0xffff) ^ (CRC16[byte] as number);
    if (next < this.#crcs.length) this.#crcs[next] = crc;
    const slot = crc % SLOT_COUNT;
    if (this.#tags[slot] !== undefined) return;
    this.#tags[slot] = String(next);
    this.#leftCount--;
  }

  /** @throws Error before they are complete */
  of(slot: number): string {
    const tag = this.#tags[slot];
    if (tag === undefined || !this.isComplete) throw new Error(`no tag for hash slot ${slot} yet`);
    return tag;
  }
}

/** Hashes in slices, so that the process does something else in between. */
export function completed(
  tags: SlotTags,
  defer: (callback: () => void) => void = setImmediate,
): Promise<SlotTags> {
  return new Promise((resolve) => {
    const hashSlice = (): void => {
      tags.hashMore(SLICE_SIZE);
      if (tags.isComplete) resolve(tags);
      else defer(hashSlice);
    };
    defer(hashSlice);
  });
}

let tagsOfProcess: Promise<SlotTags> | undefined;

/** Those of all Clusters of this process; begun by the first call. */
export function slotTags(): Promise<SlotTags> {
  return (tagsOfProcess ??= completed(new SlotTags()));
}
