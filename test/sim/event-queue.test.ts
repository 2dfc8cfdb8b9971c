import { expect } from "chai";
import * as fc from "fast-check";
import { EventQueue } from "../../sim/event-queue.js";

describe("the event queue", () => {
  it("gives events by instant, then in order of entry", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20)), (instants) => {
        const queue = new EventQueue();
        instants.forEach((atUs, order) => {
          queue.push({ atUs, order, isClient: false, run: undefined });
        });
        const popped: [number, number][] = [];
        for (let event = queue.pop(); event !== undefined; event = queue.pop()) {
          popped.push([event.atUs, event.order]);
        }
        const sorted = instants
          .map((atUs, order): [number, number] => [atUs, order])
          .toSorted(([a, x], [b, y]) => a - b || x - y);
        expect(popped).to.deep.equal(sorted);
        expect(queue.size).to.equal(0);
      }),
    );
  });
});
