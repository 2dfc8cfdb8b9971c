import type { Fault, Scenario } from "../../../sim/scenario.js";
import { MAX_MS, use } from "./scenario.js";

/** The target of a change. */
export type Target =
  | { readonly kind: "node"; readonly node: number }
  | { readonly kind: "client"; readonly client: number }
  | { readonly kind: "link"; readonly client: number; readonly node: number };

export interface Action {
  readonly id: string;
  readonly on: Target["kind"];
  readonly label: string;
  /** Label and default of the number that the action takes; undefined for none. */
  readonly amount?: { readonly label: string; readonly value: number } | undefined;
}

const FOR = { label: "for, s", value: 5 };
const BY = { label: "by, s", value: 4.5 };

export const ACTIONS: readonly Action[] = [
  { id: "jump", on: "node", label: "set its clock", amount: BY },
  {
    id: "rate",
    on: "node",
    label: "let its clock run faster",
    amount: { label: "by, %", value: 20 },
  },
  {
    id: "kill",
    on: "node",
    label: "kill it; it keeps its data",
    amount: { label: "down for, s", value: 0.5 },
  },
  {
    id: "wipe",
    on: "node",
    label: "kill it; it loses its data",
    amount: { label: "down for, s", value: 0.5 },
  },
  { id: "freeze", on: "node", label: "freeze it", amount: FOR },
  { id: "pause", on: "client", label: "pause it (GC)", amount: FOR },
  { id: "suspend", on: "client", label: "suspend its machine", amount: FOR },
  { id: "wall", on: "client", label: "set its wall clock", amount: { label: "by, s", value: -5 } },
  {
    id: "crash",
    on: "client",
    label: "kill it; it starts again",
    amount: { label: "after, s", value: 1 },
  },
  {
    id: "use",
    on: "client",
    label: "let it use the lock",
    amount: { label: "hold for, s", value: 1 },
  },
  { id: "cut", on: "link", label: "cut", amount: FOR },
  { id: "delay", on: "link", label: "hold back what is sent", amount: FOR },
  { id: "reset", on: "link", label: "break the connections" },
];

/** How long a client that is told to use the lock waits for it, ms. */
const WAIT_MS = 10_000;

/** How much longer the scenario gets when a change is made near its end, so that its effect is visible, ms. */
const MORE_MS = 5_000;

/** The scenario with an action added at that instant. @param amount in the unit of the action */
export function withChange(
  scenario: Scenario,
  action: Action["id"],
  target: Target,
  at: number,
  amount: number,
): Scenario {
  const atMs = Math.round(at);
  const chaosMs = atMs + 1_000 > scenario.chaosMs ? atMs + MORE_MS : scenario.chaosMs;
  const longer = { ...scenario, chaosMs: Math.min(MAX_MS, chaosMs) };
  if (action === "use" && target.kind === "client") {
    const { client } = target;
    const session = use({ atMs, client, waitMs: WAIT_MS, holdMs: Math.round(amount * 1_000) });
    return { ...longer, workload: [...scenario.workload, session] };
  }
  const fault = faultOf(action, target, atMs, amount);
  return fault === undefined ? scenario : { ...longer, faults: [...scenario.faults, fault] };
}

function faultOf(
  action: Action["id"],
  target: Target,
  atMs: number,
  amount: number,
): Fault | undefined {
  const ms = Math.round(amount * 1_000);
  const forMs = Math.max(1, ms);
  if (target.kind === "node") {
    const about = { atMs, node: target.node };
    switch (action) {
      case "jump":
        return { kind: "nodeJump", ...about, byMs: ms };
      case "rate":
        return {
          kind: "nodeRate",
          ...about,
          ratePpm: Math.max(-900_000, Math.round(amount * 10_000)),
        };
      case "kill":
        return { kind: "crash", ...about, mode: "persisted", forMs };
      case "wipe":
        return { kind: "crash", ...about, mode: "amnesia", forMs };
      case "freeze":
        return { kind: "freeze", ...about, forMs };
      default:
        return undefined;
    }
  }
  const about = { atMs, client: target.client };
  if (target.kind === "link") {
    const link = { ...about, node: target.node };
    if (action === "reset") return { kind: "reset", ...link };
    if (action !== "cut" && action !== "delay") return undefined;
    const kind = action === "cut" ? "partition" : "hold";
    return { kind, ...link, way: "both", forMs };
  }
  if (action === "pause" || action === "suspend") return { kind: action, ...about, forMs };
  if (action === "wall") return { kind: "wallJump", ...about, byMs: ms };
  return action === "crash" ? { kind: "kill", ...about, forMs } : undefined;
}

const s = (ms: number): string => `${Number((ms / 1_000).toFixed(2))} s`;
const signed = (ms: number): string => `${ms < 0 ? "−" : "+"}${s(Math.abs(ms))}`;

/** A fault in words. */
export function describeFault(fault: Fault): string {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- of the others the page makes none
  switch (fault.kind) {
    case "nodeJump":
      return `node ${fault.node}: clock ${signed(fault.byMs)}`;
    case "nodeRate":
      return `node ${fault.node}: clock runs ${fault.ratePpm / 10_000} % ${fault.ratePpm < 0 ? "slower" : "faster"}`.replace(
        "-",
        "",
      );
    case "crash":
      return `node ${fault.node}: killed for ${s(fault.forMs)}, ${fault.mode === "persisted" ? "keeps" : "loses"} its data`;
    case "freeze":
      return `node ${fault.node}: frozen for ${s(fault.forMs)}`;
    case "pause":
      return `client ${fault.client}: paused for ${s(fault.forMs)}`;
    case "suspend":
      return `client ${fault.client}: suspended for ${s(fault.forMs)}`;
    case "wallJump":
      return `client ${fault.client}: wall clock ${signed(fault.byMs)}`;
    case "kill":
      return `client ${fault.client}: killed, starts again after ${s(fault.forMs)}`;
    case "partition":
      return `client ${fault.client} – node ${fault.node}: cut for ${s(fault.forMs)}`;
    case "hold":
      return `client ${fault.client} – node ${fault.node}: delayed for ${s(fault.forMs)}`;
    case "reset":
      return `client ${fault.client} – node ${fault.node}: connections break`;
    case "mixup":
      return `client ${fault.client} – node ${fault.node}: replies mixed up (${fault.how}) for ${s(fault.forMs)}`;
    default:
      return `node ${fault.node}: ${fault.kind}`;
  }
}

/**
 * Why Quorate's assumptions about clocks and nodes do not cover this scenario, as far as the scenario alone shows. A
 * promise that is broken without any of these reasons is a bug.
 */
export function outsideOfModel({ faults, options, nodes, clients }: Scenario): string[] {
  const reasons: string[] = [];
  const margin = options.clockStepMs ?? 0;
  nodes.forEach((_, node) => {
    const jumps = faults.flatMap((each) =>
      each.kind === "nodeJump" && each.node === node ? [each.byMs] : [],
    );
    const gained = jumps.reduce((sum, byMs) => sum + Math.max(0, byMs), 0);
    if (gained > margin) {
      reasons.push(
        `the clock of node ${node} gains ${s(gained)}, more than clockStepMs (${s(margin)})`,
      );
    }
  });
  for (const fault of faults) {
    if (fault.kind === "nodeRate" && Math.abs(fault.ratePpm) > options.driftFactor * 500_000) {
      reasons.push(
        `the clock of node ${fault.node} runs at another rate than driftFactor allows for`,
      );
    }
  }
  const stops = faults.some(({ kind }) => kind === "pause" || kind === "suspend");
  if (options.checkToWriteMs > 0 || (stops && clients.length > 0)) {
    reasons.push(
      "a client may stand still between its check and its write: a store that ignores tokens may lose an update",
    );
  }
  return reasons;
}
