import type { FleetNode, RedisFleet } from "../../src/testing/index.js";
import type { Crew } from "../crew.js";
import { linkName } from "../nodes.js";
import { cutsOf, type Fault } from "./faults.js";
import type { Rest } from "./rest.js";

/** Carries out a fault, and ends it. Resolves when the node or the client is healthy again. */
export async function strike(
  fault: Fault,
  fleet: RedisFleet,
  crew: Crew,
  rest: Rest,
): Promise<void> {
  if (cutsOf(fault).length > 0) return cut(fault, fleet, rest);
  if (fault.kind === "lag") return lag(fault, fleet, rest);
  const { client } = fault;
  if (client !== undefined) return strikeClient(fault, client, crew, rest);
  const nodes = fault.nodes.flatMap((index) => fleet.nodes[index] ?? []);
  if (fault.kind === "relay") return relay(fault, nodes, rest);
  await Promise.all(nodes.map((node) => strikeNode(fault, node, rest)));
}

async function strikeClient(fault: Fault, client: number, crew: Crew, rest: Rest): Promise<void> {
  if (fault.kind === "clientKill") await crew.kill(client, () => rest(fault.forMs));
  else if (fault.kind === "clientFreeze") await crew.freeze(client, () => rest(fault.forMs));
  else crew.stopAfterCheck(client, fault.forMs);
}

async function lag(fault: Fault, fleet: RedisFleet, rest: Rest): Promise<void> {
  const { client = 0, amount, direction } = fault;
  const links = await Promise.all(fleet.nodes.map((node) => node.linkFor(linkName(client))));
  for (const link of links) link.delay(amount, { direction });
  await rest(fault.forMs);
  await Promise.all(links.map((link) => link.heal()));
}

/** Clients lose their link to nodes that all others reach. */
async function cut(fault: Fault, fleet: RedisFleet, rest: Rest): Promise<void> {
  const links = await Promise.all(
    cutsOf(fault).flatMap(({ client, nodes }) =>
      nodes.flatMap((index) => fleet.nodes[index]?.linkFor(linkName(client)) ?? []),
    ),
  );
  for (const link of links) link.blackhole(fault.direction);
  await rest(fault.forMs);
  await Promise.all(links.map((link) => link.heal()));
}

async function relay({ forMs }: Fault, nodes: readonly FleetNode[], rest: Rest): Promise<void> {
  const cutOff = nodes.slice(0, -1);
  for (const node of cutOff) node.link.blackhole();
  await rest(forMs);
  await nodes.at(-1)?.restart({ keepData: false });
  await Promise.all(cutOff.map((node) => node.link.heal()));
}

async function strikeNode(fault: Fault, node: FleetNode, rest: Rest): Promise<void> {
  const { kind, forMs } = fault;
  if (kind === "kill" || kind === "empty" || kind === "majorityEmpty") {
    await node.kill();
    await rest(forMs);
    await node.restart({ keepData: kind === "kill" });
  } else if (kind === "flush") {
    await node.flush();
  } else if (kind === "scriptFlush") {
    // Another fault may have taken it down.
    if (node.isRunning) void node.command("SCRIPT", "FLUSH").catch(() => {});
  } else if (kind === "freeze") {
    await node.pause();
    await rest(forMs);
    await node.resume();
  } else if (kind === "clockJump") {
    node.clock.jump(fault.amount);
  } else if (kind === "clockStep") {
    node.clock.jump(fault.amount);
    await rest(forMs);
    node.clock.jump(-fault.amount);
  } else if (kind === "clockRate" || kind === "clockSlew") {
    node.clock.rate(fault.amount);
    await rest(forMs / 2);
    node.clock.rate(2 - fault.amount);
    await rest(forMs / 2);
    node.clock.rate(1);
  } else {
    await breakLink(fault, node);
    await rest(forMs);
    await node.link.heal();
  }
}

async function breakLink({ kind, direction, amount }: Fault, { link }: FleetNode): Promise<void> {
  if (kind === "blackhole") link.blackhole(direction);
  else if (kind === "hold") link.hold(direction);
  else if (kind === "late") link.lateDelivery(amount);
  else if (kind === "refuse") await link.refuse();
  else if (kind === "reset") link.reset();
  else if (kind === "lostReply") link.dropReplies(amount);
  else if (kind === "mixup") link.mixUpReplies(amount);
  else if (kind === "delay") link.delay(amount, { jitterMs: amount });
  else if (kind === "slow") link.bandwidth(amount);
}
