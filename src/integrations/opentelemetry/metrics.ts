import type { BatchObservableResult, Meter } from "@opentelemetry/api";
import { CHANNELS } from "../../telemetry/channels.js";
import type { RoundMessage } from "../../telemetry/messages.js";
import type { Groups } from "./groups.js";
import { instrumentsOf, type Instruments } from "./instruments.js";
import { ManagerStates } from "./manager-states.js";
import { nodeAddress } from "./node-address.js";
import type { Subscriptions } from "./subscriptions.js";

const seconds = (ms: number): number => ms / 1_000;

/** Measures until the subscriptions end. */
export function measure(meter: Meter, groups: Groups, subscriptions: Subscriptions): void {
  const all = instrumentsOf(meter);
  groups.onOverflow = () => all["quorate.telemetry.groups.overflow"].add(1);
  countLocks(all, groups, subscriptions);
  subscriptions.plain(CHANNELS.round, (message) => countRound(all, message));
  const observed = [
    all["quorate.waiting"],
    all["quorate.held"],
    all["quorate.node.state"],
    all["quorate.node.quarantine"],
    all["quorate.quorum.reserve"],
  ];
  const states = new ManagerStates(all, groups);
  const observe = (result: BatchObservableResult): void => states.observe(result);
  meter.addBatchObservableCallback(observe, observed);
  subscriptions.onEnd(() => meter.removeBatchObservableCallback(observe, observed));
}

function countLocks(all: Instruments, groups: Groups, subscriptions: Subscriptions): void {
  const margin = all["quorate.validity.remaining"];
  const onEnd = (names: readonly string[], mode: string, heldMs: number, end: string): void =>
    all["quorate.hold.duration"].record(seconds(heldMs), { group: groups.of(names), mode, end });
  const onBegun = (names: readonly string[], lateMs: number): void =>
    all["quorate.renewal.lateness"].record(seconds(lateMs), { group: groups.of(names) });
  subscriptions.traced(CHANNELS.acquire, {
    asyncEnd: ({ names, mode, outcome, waitedMs, attemptCount, validMs, reentrant }) => {
      // A reentrant acquire joins a lock that was already counted.
      if (reentrant) return;
      const group = groups.of(names);
      const attributes = { group, mode, outcome: outcome ?? "error" };
      all["quorate.acquire.duration"].record(seconds(waitedMs), attributes);
      all["quorate.acquire.attempts"].record(attemptCount, { group });
      if (validMs !== undefined) margin.record(seconds(validMs), { at: "grant" });
    },
  });
  subscriptions.traced(CHANNELS.extend, {
    asyncEnd: ({ names, isRenewal, lateMs, outcome, validBeforeMs }) => {
      if (isRenewal) onBegun(names, lateMs);
      if (outcome === "extended") margin.record(seconds(validBeforeMs), { at: "renewal" });
    },
  });
  subscriptions.traced(CHANNELS.release, {
    start: ({ names, mode, heldMs, validMs }) => {
      onEnd(names, mode, heldMs, "released");
      margin.record(seconds(validMs), { at: "release" });
    },
  });
  subscriptions.plain(CHANNELS.lost, ({ names, mode, heldMs, reason, lateMs }) => {
    onEnd(names, mode, heldMs, reason);
    // One that came too late for its renewal to begin is the worst of them.
    if (lateMs !== undefined) onBegun(names, lateMs);
  });
}

function countRound(all: Instruments, { kind, verdict, durationMs, votes }: RoundMessage): void {
  const operation = kind;
  all["quorate.round.duration"].record(seconds(durationMs), { operation, verdict });
  for (const { node, vote, fault, ms } of votes) {
    const address = nodeAddress(node);
    const why = fault === undefined ? {} : { fault };
    all["quorate.votes"].add(1, { ...address, operation, vote, ...why });
    // Most other faults are of commands that were not sent: they say nothing about how fast the node is.
    if (fault === undefined || fault === "timeout") {
      all["quorate.node.duration"].record(seconds(ms), { ...address, operation });
    }
  }
}
