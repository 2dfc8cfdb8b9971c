import type { HistoryEvent } from "../../../sim/oracles/history.js";
import { judgeCases } from "../../support/check/cases.js";
import { call, end, grant, key, send, settle } from "../../support/check/events.js";

const job = { owner: "job" } as const;
const task = { owner: "task" } as const;

function count(atUs: number, number: number, node = 0, owner = "job"): HistoryEvent {
  return { kind: "count", atUs, node, name: "a", owner, count: number };
}

const twice = [key(1, 0, undefined, "A", job), key(2, 0, undefined, "B", job)] as const;

describe("oracle O1, hold counts", () => {
  judgeCases(
    "O1",
    [
      { title: "as many as there are", events: [...twice, count(2, 2)] },
      {
        title: "a renewal changes nothing",
        events: [...twice, key(3, 0, "A", "A", job), count(3, 2)],
      },
      {
        title: "one less after a release",
        events: [...twice, key(3, 0, "A", undefined, job), count(3, 1)],
      },
      {
        title: "each owner and node for itself",
        events: [...twice, key(3, 1, undefined, "C", task), count(3, 1, 1, "task"), count(3, 2)],
      },
      {
        title: "no hold of a plain lock",
        events: [key(1, 0, undefined, "A"), ...twice, count(3, 2)],
      },
    ],
    [
      { title: "one too many", events: [...twice, count(2, 3)] },
      { title: "one too few", events: [...twice, count(2, 1)] },
      {
        title: "one that ran out and still counts",
        events: [...twice, key(3, 0, "A", undefined, job), count(4, 2)],
      },
      { title: "one that was never there", events: [count(2, 1)] },
    ],
  );
});

const held = grant(0, "A", job);
const asked = call(5, 1, "acquire", { ...job, ownerId: undefined });

describe("oracle O2, who is in gets in again", () => {
  judgeCases(
    "O2",
    [
      { title: "got in", events: [held, asked, settle(7, 1, "granted"), end(9, "A")] },
      { title: "out of reach", events: [held, asked, settle(7, 1, "unreachable"), end(9, "A")] },
      { title: "gone meanwhile", events: [held, asked, end(6, "A"), settle(7, 1, "refused")] },
      {
        title: "ended by force meanwhile",
        events: [
          ...[held, asked, send(6, "A", 0, { op: "revoke" })],
          ...[key(6, 0, "A", undefined, { ...job, op: "release", by: "A" })],
          ...[settle(7, 1, "refused"), end(9, "A")],
        ],
      },
      { title: "gone before", events: [held, end(4, "A"), asked, settle(7, 1, "refused")] },
      {
        title: "in only since then",
        events: [asked, grant(6, "A", job), settle(7, 1, "refused")],
      },
      {
        title: "another owner",
        events: [grant(0, "A", task), asked, settle(7, 1, "refused")],
      },
      {
        title: "another name",
        events: [grant(0, "A", { ...job, name: "b" }), asked, settle(7, 1, "refused")],
      },
      {
        title: "before its place, beside another hold",
        events: [
          ...[key(1, 0, undefined, "A", job), send(2, "B", 0, { isAgain: true })],
          ...[key(3, 0, undefined, "B", job), key(4, 0, "A", undefined, job)],
          key(5, 0, "B", "B", { ...job, op: "extend" }),
        ],
      },
      {
        title: "in its place",
        events: [send(2, "B", 0), key(3, 0, undefined, "B", job)],
      },
      {
        title: "no owner",
        events: [held, call(5, 1, "acquire"), settle(7, 1, "refused")],
      },
    ],
    [
      {
        title: "told that it is held",
        events: [held, asked, settle(7, 1, "refused"), end(9, "A")],
      },
      {
        title: "before its place, on a node where its owner is in no more",
        events: [
          ...[key(1, 0, undefined, "A", job), send(2, "B", 0, { isAgain: true })],
          ...[key(3, 0, "A", undefined, job), key(4, 0, undefined, "B", job)],
        ],
      },
      {
        title: "in twice, and one of the two stays",
        events: [held, grant(1, "B", job), asked, end(6, "A"), settle(7, 1, "refused")],
      },
    ],
  );
});
