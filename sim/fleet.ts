import type { HistoryEvent, SendEvent } from "./oracles/history.js";
import type { GrantedLease } from "../src/coordinator/observer.js";
import { LockManager } from "../src/manager/lock-manager.js";
import type { WorldObserver } from "../src/nodes/simulated-nodes.js";
import type { Quorum } from "../src/nodes/open-quorum.js";
import { semaphoreIn } from "../src/protocol/semaphore-size.js";
import { MARKERS } from "../src/protocol/markers.js";
import { Beliefs } from "./beliefs.js";
import { Calls } from "./calls.js";
import type { Choices } from "./choices.js";
import { DropIn } from "./drop-in.js";
import { Fingerprints } from "./fingerprints.js";
import { Link, type Carried, type NetworkSettings } from "./link.js";
import { managerOptions } from "./manager-options.js";
import { PlaceRecorder } from "./place-recorder.js";
import { recordingNode, RoundNumbers } from "./recording-node.js";
import type { Recorder } from "./recorder.js";
import type { LockSettings, Scenario } from "./scenario.js";
import { SimClient } from "./sim-client.js";
import { StampRecorder } from "./stamp-recorder.js";
import { HOLDS, PERMITS, READERS } from "./standing-kinds.js";
import { StandingRecorder } from "./standing-recorder.js";
import { ForeignFleet } from "./foreign/foreign-fleet.js";
import { NaiveClient } from "./naive/naive-client.js";
import { SimClock } from "./sim-clock.js";
import { doneBy, type KeyChange } from "./node-keys.js";
import { SimNode } from "./sim-node.js";
import { SimProcess } from "./sim-process.js";
import { nodesOf, type Crashable } from "./sim-world.js";
import type { StoredKey } from "./stored-key.js";
import { KEY_PREFIX, watchedKey } from "./watched-keys.js";
import { World, type NextTurn } from "./world.js";

/** What the wall clocks show around the start of a run: an arbitrary but fixed day. */
const DAY_ZERO_US = 1_700_000_000_000_000;

/** How late a timer may fire on a running process, µs, in addition to rounding. */
export const TIMER_SLOP_US = 2_500;

/** What a run takes from the machine it runs on, and shows in addition to its history. */
export interface Surroundings {
  readonly nextTurn?: NextTurn | undefined;
  /** Called for each message when it is sent. */
  readonly onCarry?: ((carried: Carried) => void) | undefined;
}

/** All nodes, links and clients of one run. */
export class Fleet {
  readonly world: World;
  readonly beliefs: Beliefs;
  readonly nodes: readonly SimNode[];
  readonly record: Recorder;
  /** Processes of foreign code. */
  readonly foreign: ForeignFleet;
  /** Healing has begun: faults end now, and no new one starts. */
  isHealing = false;

  readonly #scenario: Scenario;
  readonly #choices: Choices;
  readonly #links: readonly (readonly Link[])[];
  readonly #clients: (SimClient | undefined)[] = [];
  readonly #naive: (NaiveClient | undefined)[] = [];
  readonly #restarts: number[] = [];
  readonly #connections: Crashable[][] = [];
  readonly #owners = new Fingerprints();
  readonly #rounds = new RoundNumbers();
  readonly #eligible: boolean[];
  /** By client: the nodes that its next process uses; undefined if all. */
  readonly #lists: (readonly number[] | undefined)[];
  /** By node: the list on its record, as last seen. */
  readonly #listed = new Map<number, string>();
  readonly #closing = new Set<SimClient>();
  readonly #readers: StandingRecorder;
  readonly #permits: StandingRecorder;
  readonly #holds: StandingRecorder;
  readonly #places: PlaceRecorder;
  readonly #stamps: StampRecorder;
  /** The layout's lock keys contain the instant at which they end. */
  readonly #isStamped: boolean;
  #network: NetworkSettings;
  #callCount = 0;
  #naiveRoundCount = 0;

  constructor(
    scenario: Scenario,
    choices: Choices,
    events: HistoryEvent[],
    { nextTurn, onCarry }: Surroundings = {},
  ) {
    this.world = new World(nextTurn);
    this.#scenario = scenario;
    this.#choices = choices;
    this.record = (event) => {
      if (event.kind === "key" && event.after !== undefined) this.#owners.add(event.after);
      events.push({ ...event, atUs: this.world.nowUs });
    };
    this.#network = scenario.network;
    this.beliefs = new Beliefs(this.world, this.record);
    this.#readers = new StandingRecorder(this.world, this.record, READERS);
    this.#permits = new StandingRecorder(this.world, this.record, PERMITS);
    this.#holds = new StandingRecorder(this.world, this.record, HOLDS);
    this.#places = new PlaceRecorder(this.world, this.record);
    this.#stamps = new StampRecorder(this.world, this.record);
    this.#isStamped = scenario.options.layout?.startsWith("timestamp") === true;
    this.#eligible = scenario.nodes.map(() => false);
    this.#lists = scenario.clients.map(() => scenario.nodeChanges?.first);
    const observer = {
      onKey: (node: SimNode, change: KeyChange) => this.#onKey(node, change),
      onRecord: (node: SimNode) => this.#onRecord(node),
      onListed: (node: SimNode) => this.#onListed(node),
    };
    this.nodes = scenario.nodes.map(({ wallOffsetMs, ratePpm }, index) => {
      const clock = new SimClock(DAY_ZERO_US + wallOffsetMs * 1_000, ratePpm);
      return new SimNode(index, clock, this.world, choices, observer);
    });
    const { clients, foreign = [] } = scenario;
    const linksOf = (who: string, distancesUs: readonly number[] = []): Link[] =>
      this.nodes.map(({ index }) => {
        const distanceUs = distancesUs[index] ?? 0;
        const network = (): NetworkSettings => this.#network;
        const name = `${who}-n${index}`;
        return new Link(name, this.world, choices, network, distanceUs, onCarry);
      });
    this.#links = [
      ...clients.map((_, client) => linksOf(`c${client}`, scenario.distancesUs?.[client])),
      ...foreign.map((_, index) => linksOf(`f${index}`)),
    ];
    this.foreign = new ForeignFleet(foreign, {
      ...{ world: this.world, choices, record: this.record, nodes: this.nodes },
      links: this.#links.slice(clients.length),
      wallStartUs: DAY_ZERO_US,
      timerSlopUs: TIMER_SLOP_US,
      keyPrefix: KEY_PREFIX,
      isEnding: () => this.isHealing,
    });
  }

  get clients(): readonly SimClient[] {
    return this.#living.filter((client) => !this.#closing.has(client));
  }

  /** Undefined if it has no process, or one that is closing. */
  clientAt(index: number): SimClient | undefined {
    const client = this.#livingAt(index);
    return client !== undefined && this.#closing.has(client) ? undefined : client;
  }

  get #living(): readonly SimClient[] {
    return this.#clients.flatMap((_, index) => this.#livingAt(index) ?? []);
  }

  #livingAt(index: number): SimClient | undefined {
    const client = this.#clients[index];
    return client?.process.isDead === true ? undefined : client;
  }

  naiveAt(index: number): NaiveClient | undefined {
    const client = this.#naive[index];
    return client?.process.isDead === true ? undefined : client;
  }

  /** The process of a client; indexes after the clients are foreign processes. */
  processAt(index: number): SimProcess | undefined {
    const behind = index - this.#scenario.clients.length;
    if (behind >= 0) return this.foreign.processAt(behind);
    return (this.#livingAt(index) ?? this.naiveAt(index))?.process;
  }

  linkOf(client: number, node: number): Link {
    return this.#links[client]?.[node] as Link;
  }

  /** Starts a new process for the client unless it has a live one. */
  startClient(index: number): void {
    const settings = this.#scenario.clients[index];
    this.foreign.start(index - this.#scenario.clients.length);
    if (settings === undefined || this.processAt(index) !== undefined) return;
    const restart = this.#restarts[index] ?? 0;
    this.#restarts[index] = restart + 1;
    const process = new SimProcess(this.world, this.#choices, {
      name: restart === 0 ? `c${index}` : `c${index}+${restart}`,
      wallStartUs: DAY_ZERO_US + settings.wallOffsetMs * 1_000,
      steadyPpm: settings.steadyPpm,
      wallPpm: settings.wallPpm,
      timerSlopUs: TIMER_SLOP_US,
    });
    const nodes = this.#lists[index];
    const start = { kind: "process", process: process.name, what: "start" } as const;
    this.record(nodes === undefined ? start : { ...start, nodes });
    if (settings.code === "naive") {
      this.#naive[index] = this.#openNaive(index, process);
      return;
    }
    process.onDisturbed = () => this.beliefs.foreseeAgain(process);
    process.enter(() => {
      const client = this.#open(index, process, nodes);
      this.#clients[index] = client;
      if (settings.readyMs !== undefined) void client.untilReady(settings.readyMs);
      // It was rolled out while the process started.
      const now = this.#lists[index];
      if (now !== undefined && now !== nodes) this.replaceClient(index, now, true);
    });
  }

  kill(index: number): void {
    this.foreign.kill(index - this.#scenario.clients.length);
    const client = this.#livingAt(index);
    const naive = this.naiveAt(index);
    const process = (client ?? naive)?.process;
    if (process === undefined) return;
    this.record({ kind: "process", process: process.name, what: "crash" });
    naive?.crash();
    if (client !== undefined) this.#end(index, process);
  }

  #end(index: number, process: SimProcess): void {
    this.beliefs.endAll(process);
    for (const connection of this.#connections[index] ?? []) connection.crash();
    process.crash();
  }

  /** A process with these nodes takes the place of the client's, which is killed or closes first. */
  replaceClient(index: number, nodes: readonly number[], isKilled: boolean): void {
    this.#lists[index] = nodes;
    const client = this.clientAt(index);
    if (client === undefined) return;
    if (isKilled) {
      this.kill(index);
      this.startClient(index);
      return;
    }
    const { process } = client;
    this.#closing.add(client);
    process.enter(() => {
      void client.close(true).then(() =>
        // What remains of it is counted first.
        this.world.at(this.world.nowUs + 1_000, () => {
          if (process.isDead) return;
          this.#end(index, process);
          this.startClient(index);
        }),
      );
    });
  }

  /** Whether any process uses the list. */
  isUsed(nodes: readonly number[]): boolean {
    return this.#living.some((client) => client.nodes === nodes);
  }

  // Healing

  /** From now on the network is fast and loses nothing. */
  calmNetwork(): void {
    this.#network = {
      ...this.#network,
      ...{ dropPerMille: 0, duplicatePerMille: 0, tailPerMille: 0, zombiePerMille: 0 },
      meanDelayUs: Math.min(this.#network.meanDelayUs, 1_000),
      minDelayUs: Math.min(this.#network.minDelayUs, 1_000),
    };
  }

  /** The services release everything they hold. */
  releaseAll(): void {
    for (const client of this.clients) client.process.enter(() => client.releaseAll());
  }

  /** Ends all pauses and suspends. */
  goOn(): void {
    const ours = this.#scenario.clients.flatMap((_, index) => this.processAt(index) ?? []);
    for (const process of [...ours, ...this.foreign.processes]) {
      if (!process.isStopped) continue;
      const what = process.isSuspended ? "wake" : "resume";
      this.record({ kind: "process", process: process.name, what });
      process.goOn();
    }
  }

  /** Heals a node and all links to it. */
  healNode(index: number): void {
    for (const links of this.#links) links[index]?.healAll();
    const node = this.nodes[index];
    if (node === undefined) return;
    node.errors.clear();
    node.lies.clear();
    node.endRelay();
    if (node.state !== "up") this.record({ kind: "node", node: index, what: "restart" });
    if (node.state === "frozen") node.thaw();
    else node.restart();
  }

  /** Disconnects a node from all clients until it is healed. */
  isolateNode(index: number): void {
    // A node frozen for longer than releases are kept would run everything it had received.
    if (this.nodes[index]?.state === "frozen") this.healNode(index);
    this.record({ kind: "node", node: index, what: "isolate" });
    for (const links of this.#links) {
      // Data still held back by a middlebox arrives now: bytes outlive their connection only for a limited time.
      links[index]?.healAll();
      links[index]?.block("toNode", "partition");
      links[index]?.block("toClient", "partition");
    }
  }

  #openNaive(index: number, process: SimProcess): NaiveClient {
    const { world, record, nodes } = this;
    return new NaiveClient({
      ...{ process, world, record, nodes },
      settings: this.#optionsOf(index),
      links: this.#links[index] ?? [],
      nextCall: () => ++this.#callCount,
      nextRound: () => --this.#naiveRoundCount,
    });
  }

  #open(index: number, process: SimProcess, ofNodes: readonly number[] | undefined): SimClient {
    const { record, world } = this;
    const settings = this.#optionsOf(index);
    const list = ofNodes ?? this.nodes.map((node) => node.index);
    const connections: Crashable[] = [];
    this.#connections[index] = connections;
    const owners = new Map<string, string>();
    const opened: Quorum[] = [];
    const observer = this.#observer(
      process,
      list,
      (quorum) => void opened.push(quorum),
      ({ keys, ownerId }) => {
        // Terms are held as plain locks.
        if (keys.isMutex) owners.set(keys.name, ownerId);
      },
    );
    const place = {
      process,
      nodes: list.map((node) => this.nodes[node] as SimNode),
      links: list.map((node) => this.linkOf(index, node)),
      isDurable: list.map((node) => this.#scenario.nodes[node]?.isDurable === true),
      inboxOn: (node: SimNode) => this.#places.inboxOn(node, process.name),
    };
    const nodes = nodesOf(place, settings, observer, connections);
    const calls = new Calls(process, record, () => ++this.#callCount);
    const locks = new LockManager(nodes, managerOptions(settings));
    locks.on("warning", ({ code }) => {
      if (code !== "QUORATE_NODE_LIST_MISMATCH") return;
      record({ kind: "warned", process: process.name });
    });
    return new SimClient({
      ...{ process, locks, owners, settings, world, record },
      nodes: list,
      quorum: opened[0] as Quorum,
      calls,
      dropIn: this.#hasDropIn(index)
        ? new DropIn({ process, record, calls, settings }, (onOpen, onGranted) => {
            const told = this.#observer(process, list, onOpen, onGranted, "redlock");
            return nodesOf(place, { ...settings, window: undefined }, told, connections);
          })
        : undefined,
      fingerprints: this.#owners,
    });
  }

  /** The observer of everything that one process opens on the nodes. */
  #observer(
    process: SimProcess,
    list: readonly number[],
    onOpen: (quorum: Quorum) => void,
    onGranted: (lease: GrantedLease) => void,
    via?: SendEvent["via"],
  ): WorldObserver {
    const { beliefs, record } = this;
    return {
      onOpen,
      onGranted: (lease) => {
        onGranted(lease);
        beliefs.begin(process, lease);
      },
      onExtended: ({ ownerId }) => beliefs.refresh(ownerId),
      onReleased: (lease) => {
        if ("isPassedOn" in lease && lease.isPassedOn === true) return;
        const isGiven = "isGiven" in lease && lease.isGiven === true;
        beliefs.end(lease.ownerId, isGiven ? "given" : "released");
      },
      onLost: ({ ownerId }) => beliefs.end(ownerId, "lost"),
      onNodeState: ({ index }) => this.#onRecord(this.nodes[list[index] ?? -1] as SimNode),
      wrapNode: (channel, at) => {
        const node = list[at] ?? at;
        return recordingNode(channel, node, process, this.#rounds, record, this.#places, via);
      },
    };
  }

  #hasDropIn(client: number): boolean {
    return this.#scenario.workload.some((each) => each.client === client && each.dropIn);
  }

  #optionsOf(client: number): LockSettings {
    return { ...this.#scenario.options, ...this.#scenario.clients[client]?.options };
  }

  // Reports from nodes

  #onKey(node: SimNode, change: KeyChange): void {
    const { after, by } = change;
    const watched = watchedKey(change.key);
    if (watched === undefined) return;
    const { what, name } = watched;
    if (what === "readers") this.#readers.onKeyBeside(node, name, change);
    else if (what === "holds") this.#holds.onKeyBeside(node, name, change);
    else if (what === "queue") this.#places.onQueueKey(node, name, change);
    else if (what === "permits") {
      this.#places.onKept(node, name, change);
      this.#permits.onKeyBeside(node, name, change);
    } else if (what === "size") {
      const size = after && semaphoreIn(after.text);
      const isLost = by === "forget";
      this.record({ kind: "size", node: node.index, name, ...size, ...(isLost && { isLost }) });
    } else if (what === "stamp") this.#stamps.onOwnerKey(node, name, after);
    else if (this.#isStamped) this.#stamps.onLockKey(node, name, after, by);
    else {
      this.#onLockKey(node, name, change);
      for (const each of [this.#readers, this.#holds, this.#permits]) {
        each.onLockKey(node, name, change);
      }
    }
  }

  #onLockKey(node: SimNode, name: string, change: KeyChange): void {
    const { before, after, by } = change;
    this.#places.onKept(node, name, change);
    const [was, is] = [ownerIn(before), ownerIn(after)];
    // A reserved turn is nobody's lock; readers and owners have their own events.
    if (was === undefined && is === undefined) return;
    this.record({
      kind: "key",
      node: node.index,
      name,
      before: was,
      after: is,
      ...doneBy(by),
      deadUs: is === undefined || after === undefined ? this.world.nowUs : node.deadAtUs(after),
    });
  }

  #onRecord(node: SimNode): void {
    const { index } = node;
    this.#readers.foreseeAgain(node);
    this.#permits.foreseeAgain(node);
    this.#holds.foreseeAgain(node);
    const isEligible = this.#isEligible(node);
    if (isEligible === this.#eligible[index]) return;
    this.#eligible[index] = isEligible;
    this.record({ kind: "eligible", node: index, isEligible });
  }

  #onListed(node: SimNode): void {
    if (this.#scenario.nodeChanges === undefined) return;
    const { index: at, listed, record } = node;
    const count = listed?.length ?? record?.nodeCount ?? 0;
    const text = [count, ...(listed ?? [])].join(" ");
    if (text === (this.#listed.get(at) ?? "0")) return;
    this.#listed.set(at, text);
    const nodes = listed?.map((name) => this.nodes.findIndex((each) => `n${each.index}` === name));
    this.record({ kind: "listed", node: at, nodes, count });
  }

  /** Whether any existing client, or one that starts now, would count the node's acquire votes. */
  #isEligible(node: SimNode): boolean {
    if (node.state === "down") return false;
    if (!this.#scenario.options.quarantine) return true;
    const { record } = node;
    if (record === undefined || record.runId !== node.runId) return false;
    if (record.state === "open" || record.state === "attested") return true;
    const quorums = this.#living.flatMap(({ nodes, quorum, dropIn }) =>
      [quorum, dropIn?.quorum ?? []].flat().map(({ channels }) => ({ channels, nodes })),
    );
    return quorums.some(({ channels, nodes }) => {
      const channel = channels[nodes.indexOf(node.index)];
      const isKnown = channel?.recordId === record.id;
      const isAsked = channel?.state === "ready" || channel?.state === "suspected";
      // A suspected node may also be in quarantine.
      return isKnown && isAsked && channel.quarantineLeftMs === 0;
    });
  }
}

function ownerIn(stored: StoredKey | undefined): string | undefined {
  if (stored === undefined || stored.text.startsWith(MARKERS.turn)) return undefined;
  const isOfSeveral = [READERS, PERMITS, HOLDS].some((kind) => kind.isMarked(stored));
  return isOfSeveral ? undefined : stored.text;
}
