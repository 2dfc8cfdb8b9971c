import type { HistoryEvent } from "../../../sim/oracles/history.js";
import { judgeCases } from "../../support/check/cases.js";
import { call, end, grant, passed, phase, processEvent } from "../../support/check/events.js";

const told = (atUs: number): HistoryEvent => {
  return { kind: "lost", atUs, process: "A", name: "a", ownerId: "A", reason: "expired" };
};
const check = (atUs: number, token?: number): HistoryEvent => {
  return { kind: "check", atUs, process: "A", name: "a", ownerId: "A", token };
};
const late = phase(9_000_000, "clean");
const ranOut = [grant(0, "A"), end(988_000, "A", "expired")];

describe("oracle S6, loss", () => {
  judgeCases(
    "S6",
    [
      { title: "a loss told at its time", events: [...ranOut, told(988_000), late] },
      {
        title: "whoever it was passed on to",
        events: [grant(0, "A", { token: 5 }), check(1, 5), passed(2, "A", 6), check(3, 6)],
      },
      { title: "a loss told within the slop of a timer", events: [...ranOut, told(990_000), late] },
      {
        title: "a paused process that is told when it goes on",
        events: [
          grant(0, "A"),
          processEvent(900_000, "A", "pause"),
          end(988_000, "A", "expired"),
          processEvent(5_000_000, "A", "resume"),
          told(5_000_000),
          late,
        ],
      },
      {
        title: "a suspended process that is told a heartbeat after waking",
        events: [
          grant(0, "A"),
          processEvent(500_000, "A", "suspend"),
          end(988_000, "A", "expired"),
          processEvent(5_000_000, "A", "wake"),
          told(6_000_000),
          late,
        ],
      },
      {
        title: "a release after the end, which finds out by itself",
        events: [...ranOut, call(988_500, 1, "release"), late],
      },
      {
        title: "one who only reads when its lock ends",
        events: [
          { kind: "unwatched", atUs: 0, process: "A", name: "a", ownerId: "A" },
          ...ranOut,
          late,
        ],
      },
      {
        title: "a process that died first",
        events: [...ranOut, processEvent(988_500, "A", "crash"), late],
      },
      {
        title: "a check just before the end",
        events: [grant(0, "A"), check(987_999), ...ranOut.slice(1), told(988_000), late],
      },
    ],
    [
      {
        title: "whoever has passed it on",
        events: [grant(0, "A", { token: 5 }), passed(2, "A", 6), check(3, 5)],
      },
      {
        title: "nothing told to whoever it was passed on to",
        events: [
          ...[grant(0, "A", { token: 5 }), call(2, 1, "release"), passed(2, "A", 6)],
          ...[end(988_000, "A", "expired"), late],
        ],
      },
      { title: "a loss that is never told", events: [...ranOut, late] },
      { title: "a loss told one microsecond too late", events: [...ranOut, told(990_001), late] },
      {
        title: "a pause that was over before",
        events: [
          processEvent(0, "A", "pause"),
          processEvent(500, "A", "resume"),
          ...ranOut,
          told(1_500_000),
          late,
        ],
      },
      {
        title: "a check that says yes at the end",
        events: [...ranOut, check(988_000), told(988_000), late],
      },
    ],
  );
});
