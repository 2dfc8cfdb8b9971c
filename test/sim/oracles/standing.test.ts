import type { HistoryEvent } from "../../../sim/oracles/history.js";
import type { Oracle } from "../../../sim/oracles/judge.js";
import { checkStanding } from "../../../sim/oracles/standing.js";
import { judgeCases } from "../../support/check/cases.js";
import {
  call,
  eligible,
  end,
  grant,
  key,
  nodeEvent,
  phase,
  place,
  processEvent,
  send,
  settle,
  vote,
} from "../../support/check/events.js";

const S = 1_000_000;
const waits = call(0, 1, "acquire");
const later = phase(9 * S, "progress");
const stand = (atUs: number, nodes = [0, 1, 2]): HistoryEvent[] =>
  nodes.map((node) => place(atUs, "stands", "refresh", { node }));
const link = (atUs: number, node: number, what: string): HistoryEvent => {
  return { kind: "link", atUs, process: "A", node, what };
};

const vain = { process: "A", vote: "fault", fault: "quarantined", sent: false } as const;
/** All nodes vote from the beginning. */
const checkVoters: Oracle = ({ settings, events }, violate) => {
  const voters = [0, 1, 2].map((node) => eligible(0, node));
  checkStanding({ settings, events: [...voters, ...events] }, violate);
};

describe("oracle W3, those who wait", () => {
  judgeCases(
    checkVoters,
    [
      { title: "one that is refreshed", events: [waits, ...stand(1), ...stand(5 * S), later] },
      {
        title: "one that is refreshed by a quorum",
        events: [waits, ...stand(1), ...stand(5 * S, [0, 2]), later],
      },
      {
        title: "one whose turn it is, as it was before",
        events: [
          ...[waits, ...stand(1), place(5 * S, "kept", "release")],
          ...[place(5 * S, "kept", "release", { node: 1 }), later],
        ],
      },
      { title: "one that never came to stand there", events: [waits, later] },
      { title: "one that gave up", events: [waits, ...stand(1), settle(S, 1, "aborted"), later] },
      {
        title: "one that died",
        events: [waits, ...stand(1), processEvent(S, "A", "crash"), later],
      },
      {
        title: "one that waits for what its process has",
        events: [waits, ...stand(1), grant(S, "A"), later],
      },
      {
        title: "one whose process had it a while ago",
        events: [waits, ...stand(1), grant(S, "A"), end(5 * S, "A"), later],
      },
      {
        title: "one that a node granted it in vain, the name",
        events: [
          ...[waits, ...stand(1), ...stand(5 * S, [0]), vote(5 * S, "a1", 1, { process: "A" })],
          later,
        ],
      },
      {
        title: "one that a node granted it in vain, a permit",
        events: [
          ...[waits, ...stand(1), ...stand(5 * S, [0])],
          vote(5 * S, "a1", 1, { process: "A", name: "a#2" }),
          later,
        ],
      },
      {
        title: "one whose acquire of before a node has executed, for as long as its key is there",
        events: [
          ...[waits, send(1, "a0", 1, { process: "A", deferred: "a1" })],
          ...[...stand(1), ...stand(5 * S, [0])],
          ...[key(1.5 * S, 1, undefined, "a1", { op: "release" }), later],
        ],
      },
      {
        title: "an owner",
        events: [call(0, 1, "acquire", { owner: "job" }), ...stand(1), later],
      },
      {
        title: "one that stands still",
        events: [waits, ...stand(1), processEvent(S, "A", "pause"), later],
      },
      {
        title: "one that has just gone on",
        events: [
          ...[waits, ...stand(1), processEvent(S, "A", "pause")],
          ...[processEvent(5 * S, "A", "resume"), later],
        ],
      },
      {
        title: "one that cannot reach a quorum",
        events: [
          waits,
          ...stand(1),
          link(S, 0, "partition both"),
          link(S, 1, "hold toNode"),
          later,
        ],
      },
      {
        title: "one where no quorum is well",
        events: [waits, ...stand(1), nodeEvent(S, 0, "crash"), nodeEvent(S, 1, "freeze"), later],
      },
      {
        title: "one where a node has forgotten, and another is out of reach on purpose",
        events: [
          ...[waits, ...stand(1), eligible(S, 0, false), nodeEvent(S, 1, "isolate")],
          ...[phase(1.1 * S, "heal"), later],
        ],
      },
      {
        title: "one where no quorum votes",
        events: [waits, ...stand(1), eligible(S, 0, false), eligible(S, 1, false), later],
      },
      {
        title: "one for which nodes are in quarantine",
        events: [
          ...[waits, ...stand(1), vote(5 * S, "a1", 0, vain), vote(5 * S, "a1", 1, vain)],
          later,
        ],
      },
    ],
    [
      {
        title: "one beside a node that is out of reach on purpose",
        events: [
          ...[waits, ...stand(1), nodeEvent(S, 2, "isolate"), phase(1.1 * S, "heal")],
          ...[later],
        ],
      },
      { title: "one that is not refreshed any more", events: [waits, ...stand(1), later] },
      {
        title:
          "one that a node would have given it for a while, and others that it gives to others",
        events: [
          ...[waits, ...stand(1), ...stand(5 * S, [0]), vote(S, "a1", 1, { process: "A" })],
          ...[vote(5 * S, "b1", 1, { process: "B" })],
          ...[vote(5 * S, "a1", 1, { process: "A", vote: "refused" }), later],
        ],
      },
      {
        title: "one for which nodes were in quarantine, or are so for others",
        events: [
          ...[waits, ...stand(1), vote(1.5 * S, "a1", 0, vain), vote(1.5 * S, "a1", 1, vain)],
          ...[0, 1].map((node) => vote(5 * S, "b1", node, { ...vain, process: "B" })),
          later,
        ],
      },
      {
        title: "one that is refreshed by too few",
        events: [waits, ...stand(1), ...stand(5 * S, [1]), later],
      },
      {
        title: "one whose key is there no more, and one beside the key of another",
        events: [
          ...[waits, send(1, "a0", 1, { process: "A", deferred: "a1" })],
          send(1, "b0", 2, { process: "B", deferred: "b1" }),
          ...[...stand(1), ...stand(5 * S, [0]), key(1.5 * S, 1, undefined, "a1")],
          ...[key(1.6 * S, 1, "a1", undefined), key(1.6 * S, 2, undefined, "b1"), later],
        ],
      },
      {
        title: "one behind a fault that is over",
        events: [
          ...[waits, ...stand(1), link(S, 0, "partition both"), link(1.5 * S, 0, "partition over")],
          ...[processEvent(1.5 * S, "A", "pause"), processEvent(1.6 * S, "A", "resume"), later],
        ],
      },
      {
        title: "one after all was healed",
        events: [
          ...[waits, ...stand(1), link(S, 0, "partition both"), nodeEvent(S, 1, "freeze")],
          ...[phase(1.5 * S, "heal"), later],
        ],
      },
    ],
  );
  judgeCases(
    checkStanding,
    [{ title: "one where no node has voted so far", events: [waits, ...stand(1), later] }],
    [],
  );
});
