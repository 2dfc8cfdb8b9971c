import type { HistoryEvent } from "../../../sim/oracles/history.js";
import { moveExpiries } from "./node-clocks.js";
import type { Played } from "./play.js";

/** From one instant to another, µs. */
export interface Span {
  readonly fromUs: number;
  toUs: number;
}

/** From `atUs` on, the end is predicted for `untilUs`. */
export interface Outlook {
  readonly atUs: number;
  readonly untilUs: number;
}

/** The time in which a client believes that it holds the lock. */
export interface Belief extends Span {
  readonly ownerId: string;
  readonly token: number | undefined;
  /** The predicted ends of its validity. */
  readonly outlooks: Outlook[];
}

/** The time in which a node stores a client's key. */
export interface KeySpan extends Span {
  readonly ownerId: string;
  readonly client: number;
  /** The predicted expiry by the node's own clock. */
  readonly outlooks: Outlook[];
}

export interface Stop extends Span {
  readonly what: "paused" | "suspended" | "crashed" | "frozen" | "down";
}

export interface Mark {
  readonly atUs: number;
  readonly text: string;
}

export interface ClientLane {
  readonly beliefs: Belief[];
  /** Calls of acquire that are not settled. */
  readonly waits: Span[];
  readonly stops: Stop[];
  readonly marks: Mark[];
  attemptCount: number;
}

export interface NodeLane {
  readonly keys: KeySpan[];
  readonly stops: Stop[];
  /** Times in which its votes do not count. */
  readonly quarantines: Span[];
  readonly marks: Mark[];
}

export interface StoreMark {
  readonly atUs: number;
  readonly client: number;
  readonly what: "write" | "reject";
  readonly store: "fenced" | "unfenced";
  readonly token: number | undefined;
  /** Whether it overwrites an update. */
  readonly isLosing: boolean;
}

export interface Line {
  readonly client: number;
  readonly node: number;
  readonly isToNode: boolean;
  readonly sentUs: number;
  readonly arrivedUs: number | undefined;
  readonly isLost: boolean;
  readonly vote: "granted" | "refused" | "other";
}

export interface Picture {
  /** All tokens that were granted, the smallest first. */
  readonly tokens: readonly number[];
  readonly clients: readonly ClientLane[];
  readonly nodes: readonly NodeLane[];
  readonly store: readonly StoreMark[];
  readonly lines: readonly Line[];
}

/** The client of a process: a restarted process has a plus in its name. */
export function clientOf(process: string): number {
  return Number(/^c(\d+)/.exec(process)?.[1] ?? -1);
}

/** Everything visible in a run, up to the end of its scenario. */
export function pictureOf({ scenario, history, messages, violations }: Played): Picture {
  const endUs = scenario.chaosMs * 1_000;
  const picture = {
    clients: scenario.clients.map((): ClientLane => {
      return { beliefs: [], waits: [], stops: [], marks: [], attemptCount: 0 };
    }),
    nodes: scenario.nodes.map((): NodeLane => {
      return { keys: [], stops: [], quarantines: [], marks: [] };
    }),
    store: [] as StoreMark[],
  };
  const isNaive = scenario.clients.some(({ code }) => code === "naive");
  const painter = new Painter(picture, endUs, isNaive);
  const lossesUs = new Set(
    violations.filter(({ id }) => id === "F2" || id === "F3").map(({ atUs }) => atUs),
  );
  const votes = new Map<string, Line["vote"]>();
  const events = history.events.filter(({ atUs }) => atUs <= endUs);
  for (const event of events) {
    painter.see(event, lossesUs);
    if (event.kind === "vote" && event.vote !== "fault") {
      votes.set(`c${clientOf(event.process)}-n${event.node} ${event.atUs}`, event.vote);
    }
  }
  moveExpiries(picture.nodes, scenario);
  const lines = messages
    .filter(({ sentUs }) => sentUs <= endUs)
    .map(({ link, way, sentUs, isLost, ...carried }): Line => {
      const [, client = -1, node = -1] = (/^c(\d+)-n(\d+)$/.exec(link) ?? []).map(Number);
      // Messages that a healed network delivers after the end count as not arrived.
      const isInTime = carried.arrivedUs !== undefined && carried.arrivedUs <= endUs;
      const arrivedUs = isInTime ? carried.arrivedUs : undefined;
      const vote = (way === "toClient" && votes.get(`${link} ${arrivedUs}`)) || "other";
      return { client, node, isToNode: way === "toNode", sentUs, arrivedUs, isLost, vote };
    });
  const granted = events.flatMap((event) => (event.kind === "grant" ? (event.token ?? []) : []));
  const tokens = [...new Set(granted)].toSorted((a, b) => a - b);
  return { ...picture, tokens, lines };
}

class Painter {
  readonly #picture: Omit<Picture, "lines" | "tokens"> & { readonly store: StoreMark[] };
  readonly #endUs: number;
  readonly #isNaive: boolean;
  readonly #clientOfOwner = new Map<string, number>();
  readonly #attempts = new Set<string>();
  readonly #calls = new Map<number, Span>();

  constructor(
    picture: Omit<Picture, "lines" | "tokens"> & { readonly store: StoreMark[] },
    endUs: number,
    isNaive: boolean,
  ) {
    this.#picture = picture;
    this.#endUs = endUs;
    this.#isNaive = isNaive;
    // At the start, no client has opened the nodes yet.
    if (!isNaive) for (const { quarantines } of picture.nodes) quarantines.push(this.#from(0));
  }

  see(event: HistoryEvent, lossesUs: ReadonlySet<number>): void {
    const { atUs } = event;
    const span = this.#from(atUs);
    const client = "process" in event ? this.#picture.clients[clientOf(event.process)] : undefined;
    const node = "node" in event ? this.#picture.nodes[event.node] : undefined;
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- most events are for oracles
    switch (event.kind) {
      case "send":
        this.#clientOfOwner.set(event.ownerId, clientOf(event.process));
        if (event.op === "acquire" && !this.#attempts.has(event.ownerId) && client) {
          this.#attempts.add(event.ownerId);
          client.attemptCount++;
        }
        break;
      case "grant": {
        const { ownerId, token, untilUs } = event;
        client?.beliefs.push({ ...span, ownerId, token, outlooks: [{ atUs, untilUs }] });
        break;
      }
      case "validity": {
        const belief = client?.beliefs.findLast(({ ownerId }) => ownerId === event.ownerId);
        belief?.outlooks.push({ atUs, untilUs: event.untilUs });
        break;
      }
      case "end": {
        const belief = client?.beliefs.findLast(({ ownerId }) => ownerId === event.ownerId);
        if (belief) belief.toUs = atUs;
        break;
      }
      case "call":
        if (event.what !== "acquire") break;
        client?.waits.push(span);
        this.#calls.set(event.call, span);
        break;
      case "settle":
        close(this.#calls.get(event.call), atUs);
        break;
      case "process":
        if (client) this.#onProcess(client, event.what, span);
        break;
      case "key":
        if (node) this.#onKey(node, event, span);
        break;
      case "eligible":
        if (node === undefined || this.#isNaive) break;
        if (event.isEligible) close(node.quarantines.at(-1), atUs);
        else node.quarantines.push(span);
        break;
      case "node":
        if (node) this.#onNode(node, event.what, span);
        break;
      case "store": {
        if (event.what === "read") break;
        const { what, store, token, process } = event;
        const isLosing = what === "write" && store === "unfenced" && lossesUs.has(atUs);
        this.#picture.store.push({ atUs, client: clientOf(process), what, store, token, isLosing });
        break;
      }
      default:
    }
  }

  #onProcess({ stops, marks, beliefs }: ClientLane, what: string, span: Span): void {
    const { fromUs: atUs } = span;
    if (what === "pause") stops.push({ ...span, what: "paused" });
    else if (what === "suspend") stops.push({ ...span, what: "suspended" });
    else if (what === "crash") {
      stops.push({ ...span, what: "crashed" });
      close(beliefs.at(-1), atUs);
    } else if (what === "resume" || what === "wake" || what === "start") {
      close(
        stops.findLast(({ toUs }) => toUs === this.#endUs),
        atUs,
      );
    } else if (what === "jump") marks.push({ atUs, text: "wall clock set" });
  }

  #onKey(node: NodeLane, event: HistoryEvent & { kind: "key" }, span: Span): void {
    const { after, atUs, deadUs } = event;
    const last = node.keys.findLast(({ toUs }) => toUs === this.#endUs);
    if (last !== undefined && last.ownerId === after) {
      last.outlooks.push({ atUs, untilUs: deadUs });
      return;
    }
    close(last, atUs);
    if (after === undefined) return;
    const client = this.#clientOfOwner.get(after) ?? -1;
    node.keys.push({ ...span, ownerId: after, client, outlooks: [{ atUs, untilUs: deadUs }] });
  }

  #onNode({ stops, marks }: NodeLane, what: string, span: Span): void {
    const { fromUs: atUs } = span;
    if (what === "crash") stops.push({ ...span, what: "down" });
    else if (what === "freeze") stops.push({ ...span, what: "frozen" });
    else if (what === "restart" || what === "thaw") {
      close(
        stops.findLast(({ toUs }) => toUs === this.#endUs),
        atUs,
      );
    } else if (what === "forget") marks.push({ atUs, text: "data lost" });
    else if (what === "jump") marks.push({ atUs, text: "clock jumps" });
    else if (what === "rate") marks.push({ atUs, text: "clock rate" });
  }

  #from(fromUs: number): Span {
    return { fromUs, toUs: this.#endUs };
  }
}

function close(span: Span | undefined, atUs: number): void {
  if (span) span.toUs = Math.min(span.toUs, atUs);
}
