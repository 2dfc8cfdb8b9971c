import { judgeCases } from "../../support/check/cases.js";
import { call, grant, settle, validity } from "../../support/check/events.js";
import type { HistoryEvent, LostEvent } from "../../../sim/oracles/history.js";

/** Granted at 0 until 988; at 100 extended to 5000, which is confirmed at 110: at most 50 ms late, with a drift of 52 ms. */
const asked: HistoryEvent = {
  ...call(100_000, 1, "extend", { withinMs: 50, toMs: 5_000, leaseMs: 100 }),
  ownerId: "A",
};
const extended = (validUntilMs: number): HistoryEvent[] => [
  grant(10, "A"),
  asked,
  validity(110_000, "A", { validUntilMs }),
  settle(110_000, 1, "extended"),
];
const lost = (leaseMs: number, reason = "expired"): LostEvent => ({
  ...{ kind: "lost", process: "A", name: "a", ownerId: "A" },
  ...{ atUs: leaseMs * 1_000, leaseMs, reason },
});

describe("oracle L7, extensions", () => {
  judgeCases(
    "L7",
    [
      { title: "a lock that lasts that long from the call on", events: extended(5_048) },
      { title: "one whose round had been sent before", events: extended(4_998) },
      {
        title: "one that runs out then",
        events: [...extended(5_048), lost(5_043)],
      },
      { title: "one that is taken before", events: [...extended(5_048), lost(300, "taken")] },
      {
        title: "one that could not be extended",
        events: [grant(10, "A"), asked, settle(150_000, 1, "failed"), lost(983)],
      },
      {
        title: "one that was valid for longer before",
        events: [grant(10, "A", { validUntilMs: 9_000 }), asked, settle(110_000, 1, "extended")],
      },
      {
        title: "an extend by its ttl",
        events: [grant(10, "A"), { ...asked, toMs: undefined }, settle(110_000, 1, "extended")],
      },
    ],
    [
      { title: "a lock that lasts for less", events: extended(4_997) },
      {
        title: "one that is not extended at all",
        events: [grant(10, "A"), asked, settle(110_000, 1, "extended")],
      },
      { title: "one that runs out before", events: [...extended(5_048), lost(4_990)] },
      {
        title: "one that a renewal shortens",
        events: [...extended(5_048), validity(300_000, "A", { validUntilMs: 1_288 })],
      },
    ],
  );
});
