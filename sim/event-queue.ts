/** An event at an instant of virtual time. */
export interface SimEvent {
  readonly atUs: number;
  /** Insertion order: orders the events of one instant. */
  readonly order: number;
  /** Whether it runs client code, which may leave promise jobs behind. */
  readonly isClient: boolean;
  run: (() => void) | undefined;
}

/** A binary heap by (instant, order). Cancelled events stay in it without a `run`. */
export class EventQueue {
  readonly #heap: SimEvent[] = [];

  get size(): number {
    return this.#heap.length;
  }

  push(event: SimEvent): void {
    const heap = this.#heap;
    let index = heap.length;
    heap.push(event);
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = heap[parentIndex] as SimEvent;
      if (isBefore(parent, event)) break;
      heap[index] = parent;
      index = parentIndex;
    }
    heap[index] = event;
  }

  peek(): SimEvent | undefined {
    return this.#heap[0];
  }

  pop(): SimEvent | undefined {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (top === undefined || last === undefined || top === last) return top;
    let index = 0;
    for (;;) {
      let childIndex = 2 * index + 1;
      if (childIndex >= heap.length) break;
      const right = heap[childIndex + 1];
      if (right !== undefined && isBefore(right, heap[childIndex] as SimEvent)) childIndex++;
      const child = heap[childIndex] as SimEvent;
      if (isBefore(last, child)) break;
      heap[index] = child;
      index = childIndex;
    }
    heap[index] = last;
    return top;
  }
}

function isBefore(a: SimEvent, b: SimEvent): boolean {
  return a.atUs < b.atUs || (a.atUs === b.atUs && a.order < b.order);
}
