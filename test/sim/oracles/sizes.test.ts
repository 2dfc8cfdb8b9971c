import type { HistoryEvent, SizeEvent } from "../../../sim/oracles/history.js";
import { judgeCases } from "../../support/check/cases.js";
import { grant, send } from "../../support/check/events.js";

/** A node keeps a size of `a`; without a count it has lost it. */
const size = (
  atUs: number,
  node: number,
  count?: number,
  version = atUs,
  more: Partial<SizeEvent> = {},
): SizeEvent => {
  return { kind: "size", atUs, node, name: "a", ...(count && { count, version }), ...more };
};
/** Asks, and is granted that number. */
const gets = (askedUs: number, grantedUs: number, number: number): HistoryEvent[] => {
  const about = { name: `a#${number}`, permits: 9 };
  return [send(askedUs, `X${number}`, 0, about), grant(grantedUs, `X${number}`, about)];
};
/** A call that resizes, and says that it has. */
const resizes = (calledUs: number, settledUs: number, resizeTo: number): HistoryEvent[] => [
  {
    ...{ kind: "call", atUs: calledUs, process: "P", call: 1, what: "resize", name: "a" },
    ...{ ownerId: undefined, withinMs: 100, steadyMs: 0, resizeTo },
  },
  { kind: "settle", atUs: settledUs, process: "P", call: 1, result: "resized", steadyMs: 1 },
];
const inOrder = (...events: HistoryEvent[]): HistoryEvent[] =>
  events.toSorted((a, b) => a.atUs - b.atUs);

/** Two permits since 11. */
const two = [size(10, 0, 2, 5), size(11, 1, 2, 5)];

describe("oracle K4, the sizes of semaphores", () => {
  judgeCases(
    "K4",
    [
      { title: "one that was never resized", events: gets(1, 2, 8) },
      { title: "a number below the size", events: [...two, ...gets(20, 30, 1)] },
      { title: "one that asked before", events: inOrder(...two, ...gets(10, 30, 3)) },
      { title: "a size of a minority", events: [size(10, 0, 2, 5), ...gets(20, 30, 3)] },
      {
        title: "a newer size of a minority, which a quorum may have stored since",
        events: [...two, size(12, 2, 4, 6), ...gets(20, 30, 3)],
      },
      {
        title: "a size that a quorum keeps no more",
        events: [...two, size(15, 1, undefined, 0, { isLost: true }), ...gets(20, 30, 3)],
      },
      {
        title: "a size that a quorum kept no more meanwhile",
        events: inOrder(
          ...[...two, ...gets(20, 30, 3), size(25, 1, undefined, 0, { isLost: true })],
          size(26, 1, 2, 5),
        ),
      },
      { title: "a resize that a quorum stored", events: inOrder(...two, ...resizes(9, 12, 2)) },
      {
        title:
          "a resize that a quorum stored, one of which lost its data before the other had stored it",
        events: inOrder(
          ...[size(10, 0, 2, 5), size(12, 0, undefined, 0, { isLost: true }), size(13, 1, 2, 5)],
          ...resizes(9, 14, 2),
        ),
      },
      {
        title: "a resize that another of the same version outdated at once",
        events: inOrder(
          ...[size(10, 0, 2, 5), size(10, 1, 2, 5), size(10, 0, 4, 5), size(10, 1, 4, 5)],
          ...resizes(9, 12, 2),
        ),
      },
      {
        title: "a resize that others outdated at once",
        events: inOrder(...two, size(12, 0, 4, 6), size(13, 1, 4, 6), ...resizes(9, 14, 2)),
      },
      {
        title: "a node that comes back as it was before",
        events: [...two, size(20, 0, 9, 3, { isLost: true })],
      },
    ],
    [
      { title: "a number that there is no more", events: [...two, ...gets(20, 30, 2)] },
      {
        title: "a number beyond all newer sizes",
        events: [...two, size(12, 2, 4, 6), ...gets(20, 30, 4)],
      },
      {
        title: "an older size",
        events: [size(1, 2, 9, 3), ...two, ...gets(20, 30, 5)],
      },
      { title: "a size that is gone", events: [...two, size(20, 0)] },
      { title: "an older one in its place", events: [...two, size(20, 0, 9, 3)] },
      {
        title: "a resize of a minority",
        events: inOrder(size(10, 0, 2, 5), ...resizes(9, 12, 2)),
      },
      { title: "a resize to another number", events: inOrder(...two, ...resizes(9, 12, 3)) },
    ],
  );
});
