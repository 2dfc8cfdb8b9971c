import {
  consensusOf,
  offsetLimitMs,
  strayMs,
  type ClockOffset,
} from "../../protocol/clock-offset.js";
import { NodesOfOthers } from "../../channel/nodes-of-others.js";
import { AFTER_DELETION, fenceSlackUs, tooFarAhead } from "../../protocol/fencing.js";
import { RECORD_KEY } from "../../protocol/keys.js";
import { copyText, LAST_LIST_FIELD, listFieldOf } from "../../protocol/node-list.js";
import { quorumSize } from "../../protocol/quorum.js";
import { milliseconds } from "./node-checks.js";
import {
  firstWith,
  twinOf,
  type DoctorSettings,
  type Finding,
  type FleetSeen,
  type NodeSeen,
} from "./seen.js";
import { isAbsurd, ownTtlMs, quarantineMs, seconds, standingOf, VOTING } from "./standing.js";

type Check = (fleet: FleetSeen, settings: DoctorSettings) => readonly Finding[];

/** Checks that need more than one node, and checks of this machine. */
export const FLEET_CHECKS: readonly Check[] = [
  nodeCount,
  recordedList,
  sameServer,
  absurdFence,
  sameMachine,
  clocks,
  hostClock,
  firstStart,
  quarantine,
  host,
];

const NONE: readonly Finding[] = [];

function nodeCount({ nodes }: FleetSeen): readonly Finding[] {
  const count = nodes.length;
  const found: Finding[] = [];
  if (count < 3) {
    const saw =
      count === 1
        ? "one node: when it is down, there are no locks"
        : "two nodes: when one is down, there are no locks";
    found.push({ severity: "warning", code: "few-nodes", saw, change: "use 3 nodes, or 5" });
  }
  if (count % 2 === 0) {
    const saw = `${count} nodes tolerate no more failures than ${count - 1}, and split votes more often`;
    const change = `use ${count - 1} or ${count + 1} nodes; change them one at a time (docs/operate/changing-nodes.md)`;
    found.push({ severity: "warning", code: "even-count", saw, change });
  }
  return found;
}

/** As a client judges it; see `NodesOfOthers`. */
function recordedList({ nodes }: FleetSeen, { keyPrefix }: DoctorSettings): readonly Finding[] {
  const lists = new NodesOfOthers(
    keyPrefix,
    nodes.map(({ node }) => node),
  );
  // One that is listed twice has one id, too, and nothing else to say.
  const seen = nodes.map((each) => (twinOf(each, nodes) === undefined ? each.sighting : undefined));
  const copy = copyText(
    nodes.map(({ node }, index) => ({ name: node, id: seen[index]?.record?.nodeId })),
  );
  if (copy !== undefined) {
    const change = "FLUSHALL on the one that was copied, and only there";
    return [{ severity: "warning", code: "node-list", saw: copy, change }];
  }
  nodes.forEach(({ nodeList, lastNodeList }, index) => {
    const record = seen[index]?.record;
    if (seen[index] !== undefined) lists.onSeen(index, { record, nodeList, lastNodeList });
  });
  return nodes.flatMap(({ node, redisCli }, index) => {
    const difference = lists.differenceOn(index);
    if (difference === undefined) return NONE;
    const saw = `${difference}: their locks may not exclude each other`;
    const field = quoted(listFieldOf(keyPrefix));
    const change = `give all clients the same nodes; if the change is complete, on every node: ${redisCli} HDEL ${RECORD_KEY} ${field} nodeCount ${LAST_LIST_FIELD}`;
    return [{ severity: "warning", node, code: "node-list", saw, change } as const];
  });
}

/** For a shell. */
function quoted(text: string): string {
  return /^[\w:.-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function sameServer({ nodes }: FleetSeen): readonly Finding[] {
  return nodes.flatMap((each) => {
    const twin = twinOf(each, nodes);
    if (twin === undefined) return NONE;
    const saw = `it is the same server as ${twin.node}, which votes once`;
    const change = "list each server once";
    return [{ severity: "error", node: each.node, code: "same-server", saw, change }];
  });
}

function absurdFence({ nodes }: FleetSeen): readonly Finding[] {
  return nodes.flatMap((each) => {
    const { node, redisCli, topFence, floorFence } = each;
    const isOfAll = isAbsurd(floorFence, each, nodes);
    if (!isOfAll && !isAbsurd(topFence, each, nodes)) return NONE;
    const saw = isOfAll
      ? `${tooFarAhead(floorFence)}: it grants no locks`
      : `${tooFarAhead(topFence)}: it grants no locks of names that have it`;
    const change = `${redisCli} DEL ${RECORD_KEY}, on one node at a time. ${AFTER_DELETION}`;
    return [{ severity: "error", node, code: "record", saw, change }];
  });
}

function sameMachine({ nodes }: FleetSeen): readonly Finding[] {
  const others = nodes.filter((node) => twinOf(node, nodes) === undefined);
  return others.flatMap((each) => {
    const { node, address } = each;
    const first = firstWith((one) => one.address, each, others);
    if (first === undefined) return NONE;
    const saw = `it is at ${address}, as is ${first.node}: the failure of one machine costs two votes`;
    const change = "run each node on its own machine";
    return [{ severity: "warning", node, code: "same-machine", saw, change }];
  });
}

interface TimedNode extends NodeSeen {
  readonly clock: ClockOffset;
}

function timed({ nodes }: FleetSeen): readonly TimedNode[] {
  return nodes.filter((node): node is TimedNode => node.clock !== undefined);
}

function clocks(fleet: FleetSeen, settings: DoctorSettings): readonly Finding[] {
  const { clockStepMs } = settings;
  const nodes = timed(fleet);
  const limitMs = offsetLimitMs(clockStepMs);
  const slackMs = fenceSlackUs(ownTtlMs(fleet.nodes, settings)) / 1_000;
  const consensus = consensusOf(nodes.map(({ clock }) => clock));
  return nodes.flatMap(({ node, clock }) => {
    const ms = strayMs(clock, consensus);
    if (ms <= limitMs) return NONE;
    const isError = ms > slackMs;
    const saw =
      `its clock is ${milliseconds(Math.abs(clock.offsetMs))} ${clock.offsetMs > 0 ? "ahead of" : "behind"} this machine's, ` +
      (isError
        ? `and more than maxTtlMs / 4 (${slackMs} ms) off the median: fencing tokens depend on it`
        : `and more than ${limitMs} ms off the median: when it is corrected, only clockStepMs (${clockStepMs}) protects locks`);
    const change =
      "check its time service (chronyc tracking) and let it slew; a step of more than clockStepMs can end locks early";
    return [{ severity: isError ? "error" : "warning", node, code: "clock", saw, change } as const];
  });
}

/** With one node it is unknown whose clock is wrong; the finding is then about the node. */
function hostClock(fleet: FleetSeen, { clockStepMs }: DoctorSettings): readonly Finding[] {
  const all = timed(fleet).map(({ clock }) => clock);
  if (all.length < 2) return NONE;
  // As seen from each of the nodes: this clock is off only if it is off for all of them.
  const seen = all.map((from, index) => {
    const offsets = all
      .filter((_, at) => at !== index)
      .map(({ offsetMs, errorMs }) => ({ offsetMs: offsetMs - from.offsetMs, errorMs }));
    const own = { offsetMs: -from.offsetMs, errorMs: from.errorMs };
    return strayMs(own, consensusOf([own, ...offsets]));
  });
  const ms = Math.min(...seen);
  if (ms <= offsetLimitMs(clockStepMs)) return NONE;
  const saw = `this machine's clock is ${milliseconds(ms)} or more off most nodes' clocks`;
  const change =
    "run chronyd, ntpd or systemd-timesyncd here: queue order and new fencing tokens use this clock";
  return [{ severity: "warning", code: "host-clock", saw, change }];
}

/** Nodes of a new deployment vote at once only if all are there. */
function firstStart(fleet: FleetSeen, settings: DoctorSettings): readonly Finding[] {
  const { nodes } = fleet;
  const states = nodes.map((node) => standingOf(node, fleet, settings).state);
  if (!states.includes("waits")) return NONE;
  const missing = nodes.filter(
    ({ kind, sighting }) => kind !== "cluster" && sighting === undefined,
  );
  const names = missing.map(({ node }) => node).join(", ");
  const wait = seconds(quarantineMs(nodes, settings));
  const saw = `no node has a record, so this is a new deployment, and it is not complete: ${names}. If a client starts now, the others vote only after ${wait}`;
  const change = `correct ${names} before clients start: then all nodes vote at once`;
  return [{ severity: "warning", code: "first-start", saw, change }];
}

function quarantine(fleet: FleetSeen, settings: DoctorSettings): readonly Finding[] {
  const standings = fleet.nodes.map((node) => standingOf(node, fleet, settings));
  const found = fleet.nodes.flatMap(({ node }, index): readonly Finding[] => {
    const standing = standings[index];
    if (standing?.state !== "quarantined") return NONE;
    const { saw, change } = standing;
    return [{ severity: "note", node, code: "quarantined", saw, change }];
  });
  const needed = quorumSize(fleet.nodes.length);
  const voting = standings.filter(({ state }) => VOTING.has(state)).length;
  const isByQuarantine = voting + found.length >= needed;
  if (found.length === 0 || voting >= needed || !isByQuarantine) return found;
  const saw = `${voting} of ${fleet.nodes.length} nodes vote and ${needed} are needed, because ${found.length} ${found.length === 1 ? "is" : "are"} quarantined: no locks are granted`;
  const change =
    "wait for it to end; next time, start all nodes before the clients, and restart one at a time, each after the previous one votes again";
  return [...found, { severity: "warning", code: "no-quorum", saw, change }];
}

/** Beyond this, this machine alone uses up the drift that leases allow for. */
const WALL_LIMIT = 0.005;

function host({ host: seen }: FleetSeen, { nodeTimeoutMs }: DoctorSettings): readonly Finding[] {
  const { watchedMs, wallGainMs, stallMs } = seen;
  const found: Finding[] = [];
  if (Math.abs(wallGainMs) > WALL_LIMIT * watchedMs) {
    const saw = `within ${milliseconds(watchedMs)} this machine's wall clock drifted ${milliseconds(Math.abs(wallGainMs))} ${wallGainMs > 0 ? "ahead of" : "behind"} its monotonic clock`;
    const change =
      "check its time service (chronyc tracking): it should slew by less than 0.5 %, and not step";
    found.push({ severity: "warning", code: "host-rate", saw, change });
  }
  if (stallMs > nodeTimeoutMs) {
    const saw = `this process did not run for ${milliseconds(stallMs)} (nodeTimeoutMs is ${nodeTimeoutMs})`;
    const change =
      "give it more CPU (check container limits): locks are lost when their holder does not run";
    found.push({ severity: "warning", code: "host-stall", saw, change });
  }
  return found;
}
