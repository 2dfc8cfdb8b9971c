import { METRICS } from "../src/integrations/opentelemetry/instruments.js";
import { CHANNELS } from "../src/telemetry/channels.js";
import { code, commentsIn, declarationIn, read, tableOf } from "./source.js";

/** The tables of what a program and its operators are told: events, channels and metrics. */
export function eventTables(): Record<string, string> {
  return {
    events: tableOf(["event", "its argument", "when"], eventRows()),
    channels: tableOf(["channel", "message", "when"], channelRows()),
    metrics: tableOf(["metric", "kind, unit", "attributes", "what it shows", "ask"], metricRows()),
  };
}

function eventRows(): string[][] {
  const source = declarationIn(read("src/api/events.ts"), "LockManagerEvents") ?? "";
  return commentsIn(source).flatMap(({ name, meaning }) => {
    const [, argument] = new RegExp(`^ {2}${name}: \\[\\w+: (.+)\\];$`, "m").exec(source) ?? [];
    if (argument === undefined) return [];
    return [[code(name), code(argument.replaceAll("readonly ", "")), withoutStop(meaning)]];
  });
}

function channelRows(): string[][] {
  const messages = commentsIn(read("src/telemetry/messages.ts"));
  return Object.keys(CHANNELS).map((name) => {
    const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Message`;
    const comment = messages.find((each) => each.name === type);
    if (comment === undefined) throw new Error(`${type} has no comment`);
    const meaning = comment.meaning.replace(`\`quorate:${name}\``, "").replace(/^[,:] /, "");
    return [code(`quorate:${name}`), code(type), withoutStop(meaning)];
  });
}

function metricRows(): string[][] {
  return Object.entries(METRICS).map(([name, { kind, unit, attributes, description }]) => [
    code(name),
    unit.startsWith("{") || unit === "1" ? wordOf(kind) : `${wordOf(kind)}, ${unit}`,
    attributes.map((attribute) => code(attribute)).join(", "),
    description,
    code(questionFor(name, kind, attributes)),
  ]);
}

/** Of these, small values are the bad ones. */
const LOW_IS_BAD: readonly string[] = ["quorate.validity.remaining", "quorate.quorum.reserve"];

/** A question to Prometheus, whose exporter has other names for them. */
function questionFor(name: string, kind: string, attributes: readonly string[]): string {
  const plain = name.replaceAll(".", "_");
  const isLowBad = LOW_IS_BAD.includes(name);
  const by = (...more: readonly string[]): string => {
    const all = [...more, ...attributes.map((attribute) => attribute.replaceAll(".", "_"))];
    return all.length === 0 ? "" : ` by (${all.join(", ")}) `;
  };
  switch (kind) {
    case "histogram":
      return `histogram_quantile(${isLowBad ? 0.01 : 0.99}, sum${by("le")}(rate(${plain}_bucket[5m])))`;
    case "counter":
      return `sum${by()}(rate(${plain}_total[5m]))`;
    case "gauge":
      return `${isLowBad ? "min" : "max"}${by()}(${plain})`;
    default:
      return `sum${by()}(${plain})`;
  }
}

function wordOf(kind: string): string {
  return kind === "upDownCounter" ? "up-down counter" : kind;
}

function withoutStop(text: string): string {
  return text.replace(/\.$/, "");
}
