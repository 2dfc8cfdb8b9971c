import keySlot from "cluster-key-slot";
import { expect } from "chai";
import { keysOf } from "../../src/kinds/exclusive.js";
import {
  faultVote,
  newOperation,
  type Operation,
  type Vote,
} from "../../src/protocol/operation.js";
import { joined, slotPartsOf, type SlotPart } from "../../src/redis/slot-parts.js";
import { operation } from "../support/channel-bench.js";
import { at } from "../support/nodes.js";

const placeOf = (name: string) => ({
  keys: keysOf("lock:", name),
  waiter: { inbox: "inbox", ticket: name.charCodeAt(0), turnMs: 20 },
});

function refreshOf(...names: readonly string[]): Operation {
  const places = names.map(placeOf);
  const { keys } = at(places, 0);
  return newOperation("refresh", { keys, ownerId: "inbox", sendBeforeMs: 9, places });
}

const namesIn = ({ operation: { kind, keys, places } }: SlotPart & { operation: never }) =>
  kind === "refresh" ? (places as { keys: { name: string } }[]).map((p) => p.keys.name) : [keys];

const slotOf = (name: string): number => keySlot(`lock:${name}`);

describe("Parts of a batch for the hash slots of a Cluster", () => {
  const acquire = operation("acquire", "owner", { keys: keysOf("lock:", "x") });
  const refresh = refreshOf("{a}1", "{b}1", "{a}2", "c", "{b}2");
  const parts = slotPartsOf([acquire, refresh, acquire], 100);

  it("are the operations, and of a refresh its places in each slot", () => {
    expect(parts.map(({ slot }) => slot)).to.deep.equal(["x", "{a}", "{b}", "c", "x"].map(slotOf));
    expect(parts.map(({ index }) => index)).to.deep.equal([0, 1, 1, 1, 2]);
    expect(parts.map((part) => part.at)).to.deep.equal([[], [0, 2], [1, 4], [3], []]);
    const ofRefresh = parts.slice(1, 4).map((part) => namesIn(part as never));
    expect(ofRefresh).to.deep.equal([["{a}1", "{a}2"], ["{b}1", "{b}2"], ["c"]]);
    for (const { slot, operation: part } of parts)
      expect(keySlot(part.keys.lockKey)).to.equal(slot);
  });

  it("have a number each, within those of the batch", () => {
    expect(parts.map(({ number }) => number)).to.deep.equal([100, 101, 102, 104, 106]);
  });

  it("keep what else a refresh says", () => {
    expect(at(parts, 2).operation).to.include({
      kind: "refresh",
      ownerId: "inbox",
      sendBeforeMs: 9,
    });
  });

  const looksOf = (nowMs: number, blocked: readonly number[], signs: string): Vote => ({
    ...{ kind: "granted", fence: 0 },
    looks: { nowMs, blockedMs: Float64Array.from(blocked), signs },
  });
  const ofRefresh = parts.slice(1, 4);

  it("are joined to one answer, in the order of the places", () => {
    const votes = [
      looksOf(7, [10, 30], "a1,a2;a3"),
      looksOf(7, [20, 50], ",b2"),
      looksOf(7, [Number.POSITIVE_INFINITY], ""),
    ];
    const vote = joined(
      refresh,
      ofRefresh.map((part, index) => ({ part, vote: votes[index] })),
    );
    const all = [10, 20, 30, Number.POSITIVE_INFINITY, 50];
    expect(vote).to.deep.equal(looksOf(7, all, "a1,,a2;a3,,b2"));
  });

  it("are told of holders whose keys end by the clock of their own member", () => {
    const votes = [looksOf(7, [10, 30], "a@,"), looksOf(1_000, [20, 50], ",b@"), undefined];
    const all = ofRefresh.map((part, index) => ({ part, vote: votes[index] }));
    const vote = joined(refresh, all);
    expect(vote).to.deep.include({ kind: "granted" });
    if (vote?.kind === "granted") expect(vote.looks?.signs).to.equal("a@17,,,,b@1050");
  });

  it("leave unknown what one of them does not say", () => {
    const fault = faultVote("server", true, "CLUSTERDOWN");
    for (const silent of [fault, undefined]) {
      const votes = [looksOf(7, [1, 2], "a,b"), silent, looksOf(7, [3], "c")];
      const all = ofRefresh.map((part, index) => ({ part, vote: votes[index] }));
      const [unknown, signs] = [Number.POSITIVE_INFINITY, "a,,b,c,"];
      expect(joined(refresh, all)).to.deep.equal(looksOf(7, [1, unknown, 2, 3, unknown], signs));
      const none = ofRefresh.map((part) => ({ part, vote: silent }));
      expect(joined(refresh, none)).to.equal(silent);
    }
  });

  it("are the answer where they are the whole operation", () => {
    const vote: Vote = { kind: "granted", fence: 5 };
    expect(joined(acquire, [{ part: at(parts, 0), vote }])).to.equal(vote);
  });
});
