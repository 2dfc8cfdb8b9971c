import { expect } from "chai";
import { takenVote } from "../support/taken-vote.js";
import { granted } from "../support/votes.js";
import { PermitReservations } from "../../src/coordinator/permit-reservations.js";

/** Of each node, what it keeps. */
function keptBy(...nodes: readonly (readonly number[])[]): PermitReservations {
  const reservations = new PermitReservations();
  nodes.forEach((permits, index) => reservations.add(index, permits, 100));
  return reservations;
}

describe("The permits that nodes keep for a wait queue", () => {
  it("are taken in the order of how many nodes keep them, each once", () => {
    const reservations = keptBy([3, 5], [5, 7], [5, 7]);
    expect([1, 2, 3, 4].map(() => reservations.take(50, 1))).to.deep.equal([
      [5],
      [7],
      [3],
      undefined,
    ]);
  });

  it("are a turn on each node that keeps enough of them, the same or not", () => {
    const reservations = keptBy([3], [], [5, 7]);
    expect([1, 2, 3].map((wanted) => reservations.nodeCount(wanted))).to.deep.equal([2, 1, 0]);
    expect(reservations.take(50, 1)).to.deep.equal([3]);
    expect(reservations.nodeCount(1), "without what is asked for by now").to.equal(1);
  });

  it("are a turn, too, where another node had those free, and others were asked for", () => {
    const reservations = keptBy([], [3, 5]);
    const nodeCounts = () => [1, 2].map((wanted) => reservations.nodeCount(wanted));
    reservations.setFree([takenVote(6, [0, 1, 2]), takenVote(6, [0]), granted(7)]);
    expect(nodeCounts()).to.deep.equal([2, 2]);
    reservations.setFree([takenVote(6, [0, 1, 2, 5]), undefined, takenVote(6, [3, 5])]);
    expect(nodeCounts(), "others are free").to.deep.equal([2, 1]);
    reservations.setFree([]);
    expect(nodeCounts()).to.deep.equal([1, 1]);
  });

  it("are taken together, the smallest of those that as many nodes keep", () => {
    const reservations = keptBy([2, 4, 6, 8], [2, 4, 6, 8], [8]);
    expect(reservations.take(50, 3)).to.deep.equal([2, 4, 8]);
    expect(reservations.take(50, 2), "too few").to.equal(undefined);
    expect(reservations.take(50, 1)).to.deep.equal([6]);
  });

  it("are of each node those of its last messages: it reserves more once the process stands there again", () => {
    const reservations = keptBy([3], [3]);
    reservations.add(0, [4], 120);
    expect([1, 2].map((wanted) => reservations.nodeCount(wanted))).to.deep.equal([2, 1]);
    expect(reservations.take(100, 1), "the first has ended").to.deep.equal([4]);
    for (let number = 5; number < 1_000; number++) reservations.add(1, [number], 120);
    expect(reservations.take(100, 1_000), "not all that anybody says").to.equal(undefined);
    expect(reservations.take(100, 4)).to.deep.equal([996, 997, 998, 999]);
  });

  it("are forgotten when the nodes keep them no longer", () => {
    const reservations = keptBy([3, 4], [3]);
    reservations.add(1, [3], 120);
    expect(reservations.nodeCount(1)).to.equal(2);
    expect(reservations.take(119, 1), "a node that was heard later").to.deep.equal([3]);
    expect(reservations.take(119, 1)).to.equal(undefined);
  });

  it("are forgotten once they are granted", () => {
    const reservations = keptBy([3, 4], [4]);
    reservations.delete([4, 9]);
    expect(reservations.take(50, 1)).to.deep.equal([3]);
    expect(reservations.take(50, 1)).to.equal(undefined);
  });

  it("are all told, node by node, once nobody wants them", () => {
    const reservations = keptBy([3], [4], [1, 3]);
    reservations.add(1, [4], 80);
    reservations.add(2, [1, 3], 100.5);
    expect([...reservations.drain(80)]).to.deep.equal([
      { index: 0, permits: [3], turnMs: 20 },
      { index: 2, permits: [1, 3], turnMs: 21 },
    ]);
    expect([...reservations.drain(80)]).to.deep.equal([]);
  });
});
