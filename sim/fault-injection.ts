import type { NodeEvent, ProcessEvent } from "./oracles/history.js";
import type { Way } from "./link.js";
import type { Fleet } from "./fleet.js";
import type { Fault } from "./scenario.js";

/** Schedules the start and end of every fault of a scenario. */
export function planFaults(fleet: Fleet, faults: readonly Fault[]): void {
  for (const fault of faults) {
    fleet.world.at(fault.atMs * 1_000, () => {
      if (!fleet.isHealing) begin(fleet, fault);
    });
    if (fault.kind !== "crash" || fault.mode !== "snapshot") continue;
    const savedMs = Math.max(0, fault.atMs - (fault.lostMs ?? 0));
    fleet.world.at(savedMs * 1_000, () => fleet.nodes[fault.node]?.save());
  }
}

function begin(fleet: Fleet, fault: Fault): void {
  if (isOnClient(fault)) beginOnClient(fleet, fault);
  else if (isOnLink(fault)) beginOnLink(fleet, fault);
  else beginOnNode(fleet, fault);
}

type OnClient = Extract<Fault, { kind: "pause" | "suspend" | "wallJump" | "kill" }>;
type OnLink = Extract<Fault, { kind: "partition" | "hold" | "reset" | "mixup" }>;
type OnNode = Exclude<Fault, OnClient | OnLink>;

function isOnClient(fault: Fault): fault is OnClient {
  return ["pause", "suspend", "wallJump", "kill"].includes(fault.kind);
}

function isOnLink(fault: Fault): fault is OnLink {
  return ["partition", "hold", "reset", "mixup"].includes(fault.kind);
}

function beginOnClient(fleet: Fleet, fault: OnClient): void {
  const process = fleet.processAt(fault.client);
  if (process === undefined) return;
  const tell = (what: ProcessEvent["what"]): void =>
    fleet.record({ kind: "process", process: process.name, what });
  switch (fault.kind) {
    case "pause":
      tell("pause");
      process.pause();
      after(fleet, fault.forMs, () => {
        tell("resume");
        process.resume();
      });
      break;
    case "suspend":
      tell("suspend");
      process.suspend();
      after(fleet, fault.forMs, () => {
        tell("wake");
        process.wake();
      });
      break;
    case "wallJump":
      tell("jump");
      process.jumpWall(fault.byMs);
      break;
    case "kill":
      fleet.kill(fault.client);
      after(fleet, fault.forMs, () => fleet.startClient(fault.client));
      break;
  }
}

function beginOnLink(fleet: Fleet, fault: OnLink): void {
  const link = fleet.linkOf(fault.client, fault.node);
  const tell = (what: string): void => {
    fleet.record({ kind: "link", process: `c${fault.client}`, node: fault.node, what });
  };
  if (fault.kind === "reset") {
    tell("reset");
    link.reset();
    return;
  }
  if (fault.kind === "mixup") {
    const { how, perMille, count } = fault;
    const mixup = { how, perMille, count };
    tell(`mixup ${how}`);
    link.mixups.add(mixup);
    after(fleet, fault.forMs, () => {
      tell("mixup over");
      link.mixups.delete(mixup);
    });
    return;
  }
  const { kind } = fault;
  const ways: Way[] = fault.way === "both" ? ["toNode", "toClient"] : [fault.way];
  tell(`${kind} ${fault.way}`);
  for (const way of ways) link.block(way, kind);
  after(fleet, fault.forMs, () => {
    tell(`${kind} over`);
    for (const way of ways) link.unblock(way, kind);
  });
}

function beginOnNode(fleet: Fleet, fault: OnNode): void {
  const node = fleet.nodes[fault.node];
  if (node === undefined) return;
  const tell = (
    what: NodeEvent["what"],
    more?: Pick<NodeEvent, "name" | "byMs" | "ratePpm">,
  ): void => fleet.record({ kind: "node", node: fault.node, what, ...more });
  switch (fault.kind) {
    case "crash":
      if (node.state === "down") return;
      tell("crash");
      if (fault.mode !== "persisted") tell("forget");
      node.crash(fault.mode);
      after(fleet, fault.forMs, () => {
        tell("restart");
        node.restart();
      });
      break;
    case "freeze":
      if (node.state !== "up") return;
      tell("freeze");
      node.freeze();
      after(fleet, fault.forMs, () => {
        tell("thaw");
        node.thaw();
      });
      break;
    case "forget":
      tell("forget");
      node.forget();
      break;
    case "scriptFlush":
      tell("scriptFlush");
      node.flushScripts();
      break;
    case "forge":
      node.forge(fault.count);
      break;
    case "relay":
      node.relay();
      after(fleet, fault.forMs, () => node.endRelay());
      break;
    case "nodeJump":
      tell("jump", { byMs: fault.byMs });
      node.jump(fault.byMs);
      break;
    case "nodeRate":
      tell("rate", { ratePpm: fault.ratePpm });
      node.setRate(fault.ratePpm);
      break;
    case "nodeLies": {
      const { fence } = fault;
      const lie = { fence };
      tell("errors");
      node.lies.add(lie);
      after(fleet, fault.forMs, () => {
        tell("calm");
        node.lies.delete(lie);
      });
      break;
    }
    case "nodeErrors": {
      const { perMille, scope, name } = fault;
      const errors = { perMille, scope, name };
      tell("errors", { name });
      node.errors.add(errors);
      after(fleet, fault.forMs, () => {
        tell("calm", { name });
        node.errors.delete(errors);
      });
      break;
    }
  }
}

/** Schedules the end of a fault. Healing ends all faults early, so running an end a second time must be harmless. */
function after(fleet: Fleet, forMs: number, end: () => void): void {
  fleet.world.at(fleet.world.nowUs + forMs * 1_000, () => {
    if (!fleet.isHealing) end();
  });
}
