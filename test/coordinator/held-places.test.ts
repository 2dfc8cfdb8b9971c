import { expect } from "chai";
import { HeldPlaces } from "../../src/coordinator/held-places.js";
import { sharedLock } from "../../src/kinds/shared.js";
import type { Votes } from "../../src/protocol/operation.js";
import type { Waiter } from "../../src/protocol/node-queue.js";
import { KEYS } from "../support/coordinator-bench.js";
import { fault, granted, held } from "../support/votes.js";

const WAITER: Waiter = { inbox: "i", ticket: 7, turnMs: 13, placePrefix: "r" };
const KIND = sharedLock(KEYS);

const CASES: readonly {
  readonly title: string;
  readonly votes: Votes;
  /** Bit mask. */
  readonly askedInVain?: number;
  /** Nodes whose messages of a grant arrive after that. */
  readonly told?: readonly number[];
  /** Those whose answers that they grant it do. */
  readonly stragglers?: readonly number[];
  readonly next?: Waiter;
  readonly left: readonly number[];
}[] = [
  { title: "all nodes granted", votes: [granted(7), granted(7), granted(7)], left: [] },
  { title: "one refused", votes: [granted(7), held(), granted(7)], left: [1] },
  {
    title: "one is silent so far",
    votes: [undefined, granted(7), granted(7)],
    left: [0],
  },
  {
    title: "the silent one granted in the end",
    votes: [granted(7), granted(7), undefined],
    stragglers: [2],
    left: [],
  },
  {
    title: "a message says that the silent one granted",
    votes: [granted(7), granted(7), undefined],
    told: [2],
    left: [],
  },
  {
    title: "messages say that one granted that was asked, and has not answered",
    votes: [granted(7), granted(7), granted(7)],
    askedInVain: 0b100,
    told: [2],
    left: [2],
  },
  {
    title: "it has answered in the end that it granted",
    votes: [granted(7), granted(7), granted(7)],
    askedInVain: 0b100,
    stragglers: [2],
    left: [],
  },
  { title: "one failed", votes: [granted(7), granted(7), fault("timeout", true)], left: [2] },
  {
    title: "the next one here has the same place",
    votes: [granted(7), held(), granted(7)],
    next: { ...WAITER, ticket: 8 },
    left: [],
  },
  {
    title: "the next one here has another place",
    votes: [granted(7), held(), granted(7)],
    next: { ...WAITER, turnMs: 20 },
    left: [1],
  },
];

describe("W4: the places that a lock leaves when it ends", () => {
  for (const { title, votes, askedInVain = 0, told = [], stragglers = [], next, left } of CASES) {
    it(`are [${left.join()}] where ${title}`, () => {
      const places = new HeldPlaces();
      const place = places.add(KIND, WAITER, votes, askedInVain);
      for (const index of stragglers) place.onAnswer(index);
      for (const index of told) place.onNodeGrant(index);
      const leaves: [number, Waiter][] = [];
      places.end(KIND, place, next, (...each) => void leaves.push(each));
      // The step that leaves a name as a whole also removes readers.
      const waiter = { ...WAITER, placePrefix: KIND.queue.leavePrefix };
      expect(leaves).to.deep.equal(left.map((index) => [index, waiter]));
    });
  }

  it("are those of both of two that had one place, once neither is held", () => {
    const places = new HeldPlaces();
    const later = { ...WAITER, ticket: 8 };
    const first = places.add(KIND, WAITER, [held(), granted(7), granted(7)], 0);
    const second = places.add(KIND, later, [granted(7), held(), granted(7)], 0);
    const told: number[] = [];
    places.end(KIND, first, undefined, (index) => void told.push(index));
    expect(told, "the other one still waits for its turn").to.deep.equal([]);
    places.end(KIND, second, undefined, (index) => void told.push(index));
    expect(told).to.have.members([0, 1]);
  });
});
