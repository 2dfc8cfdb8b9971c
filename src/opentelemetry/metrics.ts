import type { BatchObservableResult, Meter } from "@opentelemetry/api";
import { CHANNELS } from "../telemetry/channels.js";
import { openManagers } from "../telemetry/open-managers.js";
import type { RoundMessage } from "../telemetry/messages.js";
import type { Groups } from "./groups.js";
import { instrumentsOf, type Instruments } from "./instruments.js";
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
  const observe = (result: BatchObservableResult): void => observeManagers(result, all, groups);
  meter.addBatchObservableCallback(observe, observed);
  subscriptions.onEnd(() => meter.removeBatchObservableCallback(observe, observed));
}

function countLocks(all: Instruments, groups: Groups, subscriptions: Subscriptions): void {
  const margin = all["quorate.validity.margin"];
  const onEnd = (names: readonly string[], mode: string, heldMs: number, end: string): void =>
    all["quorate.hold.duration"].record(seconds(heldMs), { group: groups.of(names), mode, end });
  subscriptions.traced(CHANNELS.acquire, {
    asyncEnd: ({ names, mode, outcome, waitedMs, attemptCount, validMs, reentrant }) => {
      // A lock that was joined was acquired before.
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
      if (isRenewal) {
        all["quorate.renewal.lateness"].record(seconds(lateMs), { group: groups.of(names) });
      }
      if (outcome === "extended") margin.record(seconds(validBeforeMs), { at: "renewal" });
    },
  });
  subscriptions.traced(CHANNELS.release, {
    start: ({ names, mode, heldMs, validMs }) => {
      onEnd(names, mode, heldMs, "released");
      margin.record(seconds(validMs), { at: "release" });
    },
  });
  subscriptions.plain(CHANNELS.lost, ({ names, mode, heldMs, reason }) =>
    onEnd(names, mode, heldMs, reason),
  );
}

function countRound(all: Instruments, { kind, verdict, durationMs, votes }: RoundMessage): void {
  const operation = kind;
  all["quorate.round.duration"].record(seconds(durationMs), { operation, verdict });
  for (const { node, vote, fault, ms } of votes) {
    const address = nodeAddress(node);
    const why = fault === undefined ? {} : { fault };
    all["quorate.votes"].add(1, { ...address, operation, vote, ...why });
    // What was not sent tells nothing about how fast the node is.
    if (fault === undefined || fault === "timeout") {
      all["quorate.node.duration"].record(seconds(ms), { ...address, operation });
    }
  }
}

/** Asks the lock managers that are open: what was there before anybody measured is counted, too. */
function observeManagers(result: BatchObservableResult, all: Instruments, groups: Groups): void {
  const waiting = new Sums();
  const held = new Sums();
  const reserves: number[] = [];
  for (const manager of openManagers()) {
    for (const { keys, size } of manager.waiting()) {
      waiting.add({ group: groups.of(keys.names) }, size);
    }
    for (const { keys } of manager.held) {
      held.add({ group: groups.of(keys.names), mode: keys.mode }, 1);
    }
    for (const { node, state, quarantineLeftMs } of manager.nodes()) {
      const address = nodeAddress(node);
      result.observe(all["quorate.node.state"], 1, { ...address, state });
      result.observe(all["quorate.node.quarantine"], seconds(quarantineLeftMs), { ...address });
    }
    const { size, votes } = manager.quorum();
    reserves.push(votes - size);
  }
  waiting.observe((count, attributes) => result.observe(all["quorate.waiting"], count, attributes));
  held.observe((count, attributes) => result.observe(all["quorate.held"], count, attributes));
  // Of several lock managers, the one that is worst off.
  if (reserves.length > 0) result.observe(all["quorate.quorum.reserve"], Math.min(...reserves));
}

/** Counts by attributes. */
class Sums {
  readonly #sums = new Map<
    string,
    { readonly attributes: Record<string, string>; count: number }
  >();

  add(attributes: Record<string, string>, count: number): void {
    const key = JSON.stringify(attributes);
    const sum = this.#sums.get(key) ?? { attributes, count: 0 };
    sum.count += count;
    this.#sums.set(key, sum);
  }

  observe(observe: (count: number, attributes: Record<string, string>) => void): void {
    for (const { attributes, count } of this.#sums.values()) observe(count, attributes);
  }
}
