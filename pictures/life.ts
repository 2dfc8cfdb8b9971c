import { pictureOf, type Picture } from "../site/playground/world/picture.js";
import type { Played } from "../site/playground/world/play.js";
import { driftMs } from "../src/protocol/lease-times.js";
import { found } from "./found.js";
import { badge, element, heading, line, MARGIN, notes, PHONE_PX, sheet } from "./pen.js";
import { count, LANES_Y, seconds, TimeLine } from "./time-line.js";

/** Shown before the acquire, s. */
const BEFORE_S = 0.7;
const TICKS_S = [0, 5, 10, 15, 20];

/** The middles of the lanes. */
const LANES = { a: 70, validity: 102, node: 136, b: 224 } as const;
const NODE_STEP = 27;
const BOTTOM = 240;

/** What happened, in seconds since the acquire was called. */
interface Life {
  readonly granted: number;
  readonly cutOff: number;
  readonly lost: number;
  readonly waits: number;
  readonly takenOver: number;
  readonly end: number;
  /** Renewals, and when the validity that each proved ends. */
  readonly validity: readonly { readonly from: number; readonly until: number }[];
  readonly keys: readonly (readonly { from: number; to: number; client: number }[])[];
  /** The equation of the first validity, ms. */
  readonly sum: {
    readonly ttl: number;
    readonly elapsed: number;
    readonly drift: number;
    readonly valid: number;
  };
  /** How long before the end of its validity the holder was told, and after it, B held the lock, s. */
  readonly early: number;
  /** The key that nobody took over: its node, and how long it lived after its last renewal, s. */
  readonly left: { readonly node: number; readonly at: number; readonly lived: number };
}

function lifeOf(played: Played): Life {
  const { clients, nodes }: Picture = pictureOf(played);
  const { events } = played.history;
  const { ttlMs, driftFactor } = played.scenario.options;
  const a = found(clients[0]?.beliefs[0], "a grant of A");
  const b = found(clients[1]?.beliefs[0], "a grant of B");
  const call = found(
    events.find(({ kind }) => kind === "call"),
    "a call",
  );
  const grant = found(
    events.find((event) => event.kind === "grant"),
    "a grant",
  );
  const s = (atUs: number): number => (atUs - call.atUs) / 1_000_000;
  const cut = found(
    events.find(({ kind }) => kind === "link"),
    "a link that is cut",
  );
  const drift = driftMs(ttlMs, driftFactor);
  const valid = Math.round(grant.validUntilMs - grant.leaseMs);
  const keys = nodes.map(({ keys: spans }) => {
    return spans.map(({ fromUs, toUs, client }) => ({ from: s(fromUs), to: s(toUs), client }));
  });
  const node = keys.findIndex((spans) => spans.every(({ client }) => client === 0));
  const kept = found(nodes[node]?.keys[0], "a node whose key is not taken over");
  const lastUs = found(kept.outlooks.at(-1), "a renewal").atUs;
  return {
    granted: s(a.fromUs),
    cutOff: s(cut.atUs),
    lost: s(a.toUs),
    waits: s(found(clients[1]?.waits[0], "a wait of B").fromUs),
    takenOver: s(b.fromUs),
    end: s(played.scenario.chaosMs * 1_000),
    validity: a.outlooks.map(({ atUs, untilUs }) => ({ from: s(atUs), until: s(untilUs) })),
    keys,
    sum: { ttl: ttlMs, elapsed: ttlMs - drift - valid, drift, valid },
    early: s(found(a.outlooks.at(-1), "a validity").untilUs) - s(a.toUs),
    left: { node, at: s(kept.toUs), lived: s(kept.toUs) - s(lastUs) },
  };
}

function notesOn(life: Life): string[] {
  const { sum, cutOff, lost, takenOver, early, left } = life;
  return [
    `Most nodes have A's key: ${count(sum.ttl)}\u00a0ms ttl − ${sum.elapsed} elapsed − ${sum.drift} drift of clocks = ${count(sum.valid)}\u00a0ms valid.`,
    "A renews it every third of the ttl. Each renewal moves the end.",
    `A is cut off after ${seconds(cutOff)}.`,
    `lock.signal aborts after ${seconds(lost)}, ${Math.round(early * 1_000)}\u00a0ms before the validity ends.`,
    `B has seen no renewal for a whole ttl, and takes over, ${seconds(takenOver - lost)} later. Two nodes of three are enough.`,
    `B does not reach node\u00a0${left.node + 1}. Its key ends by itself, ${Math.round(left.lived)}\u00a0s (ttl\u00a0+\u00a0clockStepMs) after its last renewal.`,
  ];
}

/** What the picture says, to those who do not see it. */
export function lifeInWords(played: Played): string {
  const { sum, validity, lost, takenOver, cutOff } = lifeOf(played);
  return (
    `The life of one lock on a time line. Client A gets it for ${count(sum.ttl)} ms and renews it ${validity.length - 1} times. ` +
    `At ${seconds(cutOff)} it is cut off, at ${seconds(lost)} its signal aborts, and at ${seconds(takenOver)} client B, which has waited, holds the lock on two of three nodes.`
  );
}

export interface Look {
  readonly width?: number;
  /** Time passes. It stands still for readers who prefer that. */
  readonly isMoving?: boolean;
}

/** A lock from its acquire to its take-over, with the keys on its nodes. */
export function lifePicture(played: Played, { width = PHONE_PX, isMoving = false }: Look): string {
  const life = lifeOf(played);
  const time = new TimeLine(-BEFORE_S, life.end, width);
  const { svg: words, bottom } = notes(notesOn(life), BOTTOM + 26, width);
  const title = "The life of one lock";
  const nodeY = (node: number): number => LANES.node + node * NODE_STEP;
  const validityY = LANES.validity;
  const firstRenewal = life.validity[1]?.from ?? 0;
  const drawing = [
    time.name("client A", LANES.a),
    time.span("a", life.granted, life.lost, LANES.a),
    time.inside("a", "holds", life.granted, LANES.a, 20),
    time.instant("bad", life.cutOff, LANES.a - 16, validityY + 14),
    time.inside("bad", "cut off", life.cutOff, LANES.a, 21),
    time.name("validity", validityY),
    ...life.validity.map(({ from, until }, step) => {
      const y = validityY + (step - 1) * 8;
      const ends = [time.x(from), time.x(until)].map((x) => line("a", [x, y - 3], [x, y + 3]));
      return line("a", [time.x(from), y], [time.x(until), y]) + ends.join("");
    }),
    ...life.keys.flatMap((spans, node) => [
      time.name(`node ${node + 1}`, nodeY(node)),
      ...spans.map(({ from, to, client }) => {
        const [tone, name] = client === 0 ? (["a", "A"] as const) : (["b", "B"] as const);
        const label = time.inside(tone, `key of ${name}`, from, nodeY(node));
        return time.span(tone, from, to, nodeY(node)) + label;
      }),
    ]),
    time.name("client B", LANES.b),
    time.wait("b", life.waits, life.takenOver, LANES.b, "waits"),
    time.span("b", life.takenOver, life.end, LANES.b),
    time.inside("b", "holds", life.takenOver, LANES.b, 20),
    // Where the notes belong.
    badge(1, time.x(life.granted) + 9, LANES.a),
    badge(2, time.x(firstRenewal) - 11, validityY),
    badge(3, time.x(life.cutOff) + 10, LANES.a),
    badge(4, time.x(life.lost) + 11, LANES.a),
    badge(5, time.x(life.takenOver) + 9, LANES.b),
    badge(6, time.x(life.left.at) + 11, nodeY(life.left.node)),
  ];
  return sheet(
    { title, width, height: bottom + MARGIN, style: isMoving ? motion(life, time) : "" },
    heading(title),
    ...time.axis(TICKS_S, BOTTOM),
    ...drawing,
    ...(isMoving ? [future(width)] : []),
    ...words.map((word, at) =>
      isMoving ? element("g", { class: `note n${at + 1}` }, word) : word,
    ),
  );
}

/** Hides what has not happened yet. */
function future(width: number): string {
  const area = { x: 0, y: LANES_Y, width: width - 2, height: BOTTOM - LANES_Y + 6 };
  return element(
    "svg",
    { ...area, viewBox: `0 0 ${area.width} ${area.height}` },
    element("rect", { class: "future", x: 0, y: 0, width: area.width, height: area.height }),
    element("line", { class: "ink line now", x1: 0, y1: 0, x2: 0, y2: area.height }),
  );
}

/** How long the story takes to be told, and stands at its end, s. */
const TOLD_S = 14;
const STANDS_S = 6;

function motion(life: Life, time: TimeLine): string {
  const all = TOLD_S + STANDS_S;
  const percent = (s: number): string =>
    ((100 * TOLD_S * (s + BEFORE_S)) / (life.end + BEFORE_S) / all).toFixed(2);
  const told = percent(life.end);
  const instants = [
    life.granted,
    life.validity[1]?.from ?? 0,
    ...[life.cutOff, life.lost, life.takenOver, life.left.at],
  ];
  const [from, to] = [time.x(-BEFORE_S), time.x(life.end)];
  const moving = (name: string): string => `animation:${name} ${all}s linear infinite`;
  return [
    ".future,.now{display:none}",
    ".future{fill:var(--ink-wash);opacity:.86}",
    "@media (prefers-reduced-motion:no-preference){",
    `.future,.now{display:inline;${moving("pass")}}`,
    `@keyframes pass{0%{transform:translateX(${from}px)}${told}%,100%{transform:translateX(${to}px)}}`,
    ...instants.map((at, index) => {
      const name = `n${index + 1}`;
      const after = (Number(percent(at)) + 1).toFixed(2);
      return `.${name}{${moving(name)}}@keyframes ${name}{0%,${percent(at)}%{opacity:.25}${after}%,100%{opacity:1}}`;
    }),
    "}",
  ].join("\n");
}
