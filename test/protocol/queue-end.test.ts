import { expect } from "chai";
import type { Vote } from "../../src/protocol/operation.js";
import { waitingCountOf } from "../../src/protocol/queue-end.js";
import { fault, granted, held } from "../support/votes.js";

const NOBODY = { count: 0, placeCount: 0 };
const waited = (waitingCount: number): Vote => ({ ...held(), waitingCount });

describe("waitingCountOf", () => {
  for (const { title, votes, own = NOBODY, count } of [
    { title: "nobody where no node says so", votes: [held(), held(), fault()], count: 0 },
    { title: "as many as all nodes say", votes: [waited(4), waited(4), waited(4)], count: 4 },
    {
      title: "no more than a quorum says",
      votes: [waited(9), waited(2), waited(3)],
      count: 3,
    },
    { title: "none that only a minority knows", votes: [waited(9), held(), granted(1)], count: 0 },
    { title: "of four nodes, what three say", votes: [4, 4, 2, 1].map(waited), count: 2 },
    {
      title: "those of its own process, without asking",
      votes: [undefined, undefined, undefined],
      own: { count: 5, placeCount: 1 },
      count: 5,
    },
    {
      title: "its own process once",
      votes: [waited(1), waited(1), held()],
      own: { count: 3, placeCount: 1 },
      count: 3,
    },
    {
      title: "other processes besides",
      votes: [waited(3), waited(3), waited(3)],
      own: { count: 3, placeCount: 1 },
      count: 5,
    },
    {
      title: "readers and writers of its own once each",
      votes: [waited(3), waited(3), waited(3)],
      own: { count: 4, placeCount: 2 },
      count: 5,
    },
    {
      title: "all of its own where nodes do not know them yet",
      votes: [waited(0), waited(0), waited(0)],
      own: { count: 2, placeCount: 1 },
      count: 2,
    },
  ] as const) {
    it(`counts ${title}`, () => {
      expect(waitingCountOf(votes, own)).to.equal(count);
    });
  }
});
