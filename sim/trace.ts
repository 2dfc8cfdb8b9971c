import type { GrantEvent, HistoryEvent } from "./oracles/history.js";
import { foldHash, hashText } from "./random.js";

/** One line per event: true time in ms, process, a glyph for the kind, and the details in words. */
export function traceLine(event: HistoryEvent): string {
  const [who, glyph, text] = describe(event);
  return `${(event.atUs / 1_000).toFixed(3).padStart(11)} ${who.padEnd(5)} ${glyph} ${text}`;
}

export function traceOf(events: readonly HistoryEvent[]): string {
  return events.map(traceLine).join("\n");
}

/** A number for the whole run: two runs that differ anywhere almost certainly differ here. */
export function traceHash(events: readonly HistoryEvent[]): string {
  let first = 0x51ed270b;
  let second = 0x2545f491;
  for (const event of events) {
    const [who, glyph, text] = describe(event);
    const line = hashText(event.atUs % 2 ** 32, `${who}${glyph}${text}`);
    first = foldHash(first, line);
    second = foldHash(second, line ^ first);
  }
  return [first, second].map((part) => part.toString(16).padStart(8, "0")).join("");
}

function describe(event: HistoryEvent): [who: string, glyph: string, text: string] {
  switch (event.kind) {
    case "send": {
      const fence = event.fence === undefined ? "" : ` fence=${event.fence}`;
      const from = event.previous === undefined ? "" : ` from ${short(event.previous)}`;
      const how = event.isPreempting === true ? "stealing " : "";
      const text = `${how}${event.op} ${short(event.ownerId)} n${event.node}${fence}${from}`;
      return [event.process, ">", text];
    }
    case "vote": {
      const fence = event.fence === 0 ? "" : ` fence=${event.fence}`;
      const why = event.fault === undefined ? "" : ` (${event.fault})`;
      const text = `${event.vote}${why} ${event.op} ${short(event.ownerId)} by n${event.node}${fence}`;
      return [event.process, "<", text];
    }
    case "grant":
      return [
        event.process,
        ".",
        `granted ${event.name} ${short(event.ownerId)}${asReader(event)} token=${event.token ?? "none"} left=${left(event)}`,
      ];
    case "validity":
      return [
        event.process,
        ".",
        `extended ${event.name} ${short(event.ownerId)} left=${left(event)}`,
      ];
    case "passed":
      return [
        event.process,
        ".",
        `passed on ${event.name} ${short(event.ownerId)} token=${event.token ?? "none"}`,
      ];
    case "end":
      return [event.process, "$", `${event.why} ${event.name} ${short(event.ownerId)}`];
    case "lost":
      return [event.process, "$", `told lost (${event.reason}) ${short(event.ownerId)}`];
    case "check":
      return [event.process, "?", `holds ${short(event.ownerId)}`];
    case "unwatched":
      return [event.process, ".", `${event.name} ${short(event.ownerId)} is not watched`];
    case "call":
      return [event.process, "(", `${event.what} ${event.name}${asReader(event)} #${event.call}`];
    case "settle":
      return [event.process, ")", `#${event.call} ${event.result}`];
    case "key": {
      const change = `${short(event.before)} -> ${short(event.after)}`;
      const how = event.isTrespass === true ? " (trespassing)" : "";
      const done = `${event.op} ${short(event.by)}${how}`;
      return [`n${event.node}`, "=", `${event.name} ${change} by ${done}`];
    }
    case "observed":
      return [
        event.process,
        "!",
        `shown ${event.who ?? "nobody"} at ${event.name} ${event.value ?? ""}`,
      ];
    case "news":
      return [event.process, "!", `told by n${event.node} that ${event.beginning} has ended`];
    case "place": {
      const { node, name, process, wants, what, op } = event;
      return [`n${node}`, "~", `${name} ${process} ${what}${wants && ` (${wants})`} by ${op}`];
    }
    case "turn": {
      const { node, process, name, wants, permits, what } = event;
      const turn = `${name}${permits === undefined ? "" : `#${permits.join(",")}`}${wants && ` (${wants})`}`;
      return what === "told"
        ? [`n${node}`, "~", `${turn} told ${process}`]
        : [process, "<", `${turn} told by n${node}`];
    }
    case "inbox": {
      const { node, process, isListening } = event;
      return [
        `n${node}`,
        "~",
        `${process} ${isListening ? "listens" : "does not listen any more"}`,
      ];
    }
    case "size": {
      const { node, name, count, version } = event;
      const size = count === undefined ? "has lost its size" : `has ${count} permits (${version})`;
      return [`n${node}`, "#", `${name} ${size}`];
    }
    case "count":
      return [`n${event.node}`, "#", `${event.name} ${event.count} of ${event.owner}`];
    case "eligible":
      return [`n${event.node}`, "^", event.isEligible ? "votes count" : "votes do not count"];
    case "node":
      return [`n${event.node}`, "!", [event.what, event.name ?? []].flat().join(" ")];
    case "process": {
      const { process, what, nodes } = event;
      return [process, "|", nodes === undefined ? what : `${what} with ${nodes.join(" ")}`];
    }
    case "listed":
      return [`n${event.node}`, "!", `lists ${event.nodes?.join(" ") ?? `${event.count} nodes`}`];
    case "warned":
      return [event.process, "|", "warned that others use other nodes"];
    case "handle": {
      const held = event.isHeld ? "held" : "not held";
      return [event.process, ".", `${event.what} ${short(event.ownerId)}/${event.handle} ${held}`];
    }
    case "remains":
      return [event.process, "|", `${event.timerCount} timers, ${event.openCallCount} calls`];
    case "store":
      return [
        event.process,
        "*",
        `${event.what} ${event.store} ${event.name} v${event.base} ${short(event.ownerId)}`,
      ];
    case "link":
      return [event.process, "x", `n${event.node} ${event.what}`];
    case "force": {
      const { name, ownerIds, isQuorate } = event;
      const owners = ownerIds.map(short).join(", ");
      return [event.process, "#", `${name} ended (${owners})${isQuorate ? "" : " by too few"}`];
    }
    case "foreign":
      return [event.process, ".", `${event.what} ${event.name} ${event.ownerId} (not ours)`];
    case "report": {
      const holders = event.holders.map(
        ({ ownerId, nodes }) => `${short(ownerId)}@${nodes.join("")}`,
      );
      return [event.process, "?", `${event.name} is ${event.state} ${holders.join(" ")}`];
    }
    case "readiness":
      return [event.process, "?", `${event.isReady ? "" : "not "}ready: ${event.states.join(" ")}`];
    case "phase":
      return ["-----", "-", event.what];
  }
}

function short(ownerId: string | undefined): string {
  return ownerId === undefined ? "none" : ownerId.replace(/_+(:.*)?$/, "");
}

function left({ validUntilMs, leaseMs }: { validUntilMs: number; leaseMs: number }): string {
  return (validUntilMs - leaseMs).toFixed(3);
}

function asReader({ mode, owner }: Pick<GrantEvent, "mode" | "owner">): string {
  if (owner !== undefined) return ` for ${owner}`;
  return mode === undefined ? "" : " shared";
}
