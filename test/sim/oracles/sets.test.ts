import { judgeCases } from "../../support/check/cases.js";
import { call, grant, phase, settle } from "../../support/check/events.js";

const set = call(15, 1, "acquire", { name: "a, b", waitMs: 30 });
const single = (name: string, atUs: number) => grant(atUs, `${name}-${atUs}`, { name });
const beside = [single("a", 16), single("b", 17)];
const over = phase(40, "progress");
const begun = [phase(10, "heal"), set, ...beside];

describe("oracle W8, sets beside their names", () => {
  judgeCases(
    "W8",
    [
      { title: "a set that gets in", events: [...begun, settle(30, 1, "granted"), over] },
      {
        title: "one of two sets whose clocks disagree",
        settings: { areWallsApart: true },
        events: [
          ...[...begun, call(16, 2, "acquire", { name: "a, b", waitMs: 30 })],
          ...[settle(30, 2, "granted"), settle(39, 1, "refused"), over],
        ],
      },
      { title: "a run that ends before", events: begun },
      {
        title: "a set that did not wait for long",
        events: [
          ...[phase(10, "heal"), call(15, 1, "acquire", { name: "a, b", waitMs: 0 }), ...beside],
          ...[settle(16, 1, "refused"), over],
        ],
      },
      {
        title: "one of its names alone: that is for L2",
        events: [phase(10, "heal"), set, single("a", 16), settle(39, 1, "refused"), over],
      },
      {
        title: "a set that gave up before the nodes were healed",
        events: [set, settle(9, 1, "refused"), phase(10, "heal"), ...beside, over],
      },
    ],
    [
      { title: "a set that does not get in", events: [...begun, settle(39, 1, "refused"), over] },
      { title: "a set that still waits", events: [...begun, over] },
      {
        title: "one of two sets",
        events: [
          ...[...begun, call(16, 2, "acquire", { name: "a, b", waitMs: 30 })],
          ...[settle(30, 2, "granted"), settle(39, 1, "refused"), over],
        ],
      },
    ],
  );
});
