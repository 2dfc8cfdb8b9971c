import { MARKERS } from "./markers.js";

/** Maximum number of permits of a semaphore. What a step costs a node does not depend on them. */
export const MAX_PERMITS = 10_000;

/** Nodes compare them, and their numbers are exact up to here. */
export const MAX_SIZE_VERSION = Number.MAX_SAFE_INTEGER;

/** How many permits a semaphore has. Of two that differ, the one of the newer version counts. */
export interface SemaphoreSize {
  readonly count: number;
  /** Grows with each resize; 0 before the first. */
  readonly version: number;
}

/** The size of one semaphore, as far as this process knows. */
export interface KnownSize {
  readonly current: SemaphoreSize;
  /** A node has another. */
  learn(size: SemaphoreSize): void;
}

/** Of a semaphore where nobody hears of a resize. */
export function fixedSize(current: SemaphoreSize): KnownSize {
  return { current, learn: () => {} };
}

/** Whether it replaces the other on nodes, and in what clients know. */
export function isNewerSize(size: SemaphoreSize, than: SemaphoreSize): boolean {
  const { version, count } = size;
  return version > than.version || (version === than.version && count > than.count);
}

/** Of a resize of that one: newer, and by the wall clock if possible, so that it is newer than what others know, too. */
export function nextVersion({ version }: SemaphoreSize, wallUs: number): number {
  return Math.min(Math.max(Math.floor(wallUs / 1_000), version + 1), MAX_SIZE_VERSION);
}

/** As it is sent, and stored: `20`, and once resized `20@1764230400000`. */
export function sizeText({ count, version }: SemaphoreSize): string {
  return version === 0 ? String(count) : `${count}@${version}`;
}

const SIZE = /^([1-9]\d{0,4})(?:@([1-9]\d{0,15}))?$/;

/** Undefined if no node would send that. */
export function sizeIn(text: string): SemaphoreSize | undefined {
  const [, count, version = 0] = SIZE.exec(text) ?? [];
  const size = { count: Number(count), version: Number(version) };
  return size.count <= MAX_PERMITS && size.version <= MAX_SIZE_VERSION ? size : undefined;
}

/** The size in the text of a lock key while permits are held; undefined if it is not a semaphore's. */
export function semaphoreIn(text: string): SemaphoreSize | undefined {
  return text.startsWith(MARKERS.semaphore)
    ? sizeIn(text.slice(MARKERS.semaphore.length))
    : undefined;
}
