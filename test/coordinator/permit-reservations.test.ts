import { expect } from "chai";
import { PermitReservations } from "../../src/coordinator/permit-reservations.js";

describe("The permits that nodes keep for a wait queue", () => {
  it("are taken in the order of how many nodes keep them, each once", () => {
    const reservations = new PermitReservations();
    for (const [index, permit] of [
      [0, 3],
      [1, 5],
      [2, 5],
      [0, 5],
      [1, 7],
      [2, 7],
    ] as const) {
      reservations.add(index, permit, 100);
    }
    expect([1, 2, 3, 4].map(() => reservations.take(50, 1))).to.deep.equal([
      [5],
      [7],
      [3],
      undefined,
    ]);
  });

  it("are a turn on each node that keeps enough of them, the same or not", () => {
    const reservations = new PermitReservations();
    for (const [index, permit] of [
      [0, 3],
      [2, 5],
      [2, 7],
    ] as const) {
      reservations.add(index, permit, 100);
    }
    expect([1, 2, 3].map((wanted) => reservations.nodeCount(wanted))).to.deep.equal([2, 1, 0]);
    expect(reservations.take(50, 1)).to.deep.equal([3]);
    expect(reservations.nodeCount(1), "without what is asked for by now").to.equal(1);
  });

  it("are taken together, the smallest of those that as many nodes keep", () => {
    const reservations = new PermitReservations();
    for (const index of [0, 1])
      for (const permit of [4, 2, 8, 6]) reservations.add(index, permit, 100);
    reservations.add(2, 8, 100);
    expect(reservations.take(50, 3)).to.deep.equal([2, 4, 8]);
    expect(reservations.take(50, 2), "too few").to.equal(undefined);
    expect(reservations.take(50, 1)).to.deep.equal([6]);
  });

  it("are forgotten when the nodes keep them no longer", () => {
    const reservations = new PermitReservations();
    reservations.add(0, 3, 100);
    reservations.add(1, 3, 120);
    reservations.add(0, 4, 101);
    expect(reservations.take(119, 1), "nodes that were heard later keep it longer").to.deep.equal([
      3,
    ]);
    expect(reservations.take(101, 1)).to.equal(undefined);
  });

  it("are all told, node by node, once nobody wants them", () => {
    const reservations = new PermitReservations();
    reservations.add(0, 3, 100);
    reservations.add(2, 3, 100.5);
    reservations.add(2, 1, 101);
    reservations.add(1, 4, 80);
    expect([...reservations.drain(80)]).to.deep.equal([
      { index: 0, permits: [3], turnMs: 21 },
      { index: 2, permits: [1, 3], turnMs: 21 },
    ]);
    expect([...reservations.drain(80)]).to.deep.equal([]);
  });
});
