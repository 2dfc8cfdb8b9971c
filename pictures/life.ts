import { pictureOf, type Picture } from "../site/playground/world/picture.js";
import type { Played } from "../site/playground/world/play.js";
import { driftMs } from "../src/protocol/lease-times.js";
import { badge, bar, element, line, MARGIN, notes, PHONE_PX, rule, say, sheet } from "./pen.js";
import { found } from "./found.js";

/** Where the lanes begin: to the left are their names. */
const LEFT = 66;
const RIGHT = 14;
/** Shown before the acquire, s. */
const BEFORE_S = 0.7;
const TICKS_S = [0, 5, 10, 15, 20];

const AXIS_Y = 48;
const LANES = { a: 60, validity: 94, node: 126, b: 214, bottom: 240 } as const;
const BAR = 20;
const NODE_STEP = 27;

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

const count = (value: number): string => value.toLocaleString("en-US");
const seconds = (value: number): string => `${value.toFixed(1)} s`;

function notesOn(life: Life): string[] {
  const { sum, cutOff, lost, takenOver, early, left } = life;
  return [
    `Most nodes have A's key: ${count(sum.ttl)} ms ttl − ${sum.elapsed} elapsed − ${sum.drift} drift of clocks = ${count(sum.valid)} ms valid.`,
    "A renews it every third of the ttl. Each renewal moves the end.",
    `A is cut off after ${seconds(cutOff)}.`,
    `lock.signal aborts after ${seconds(lost)}, ${Math.round(early * 1_000)} ms before the validity ends.`,
    `B has seen no renewal for a whole ttl, and takes over, ${seconds(takenOver - lost)} later. Two nodes of three are enough.`,
    `B does not reach node ${left.node + 1}. Its key ends by itself, ${Math.round(left.lived)} s (ttl + clockStepMs) after its last renewal.`,
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
  const perS = (width - LEFT - RIGHT) / (life.end + BEFORE_S);
  const x = (s: number): number => LEFT + (s + BEFORE_S) * perS;
  const { svg: words, bottom } = notes(notesOn(life), LANES.bottom + 26, width);
  const title = "The life of one lock";
  const nodeY = (node: number): number => LANES.node + node * NODE_STEP;
  const span = (tone: "a" | "b", from: number, to: number, y: number, height = BAR): string =>
    bar(tone, x(from), y, x(to) - x(from), height);
  const middle = (y: number): number => y + BAR / 2;
  const inBar = (words_: string, at: number, y: number, tone: "a" | "b" | "bad"): string =>
    say(words_, at, middle(y) + 4, { tone });

  const drawing = [
    // A
    span("a", life.granted, life.lost, LANES.a),
    inBar("holds", x(life.granted) + 20, LANES.a, "a"),
    line("bad", [x(life.cutOff), LANES.a - 6], [x(life.cutOff), LANES.validity + 22], "dashed"),
    inBar("cut off", x(life.cutOff) + 21, LANES.a, "bad"),
    ...life.validity.map(({ from, until }, step) => {
      const y = LANES.validity + step * 8;
      const ends = [x(from), x(until)].map((at) => line("a", [at, y - 3], [at, y + 3]));
      return line("a", [x(from), y], [x(until), y]) + ends.join("");
    }),
    // Nodes
    ...life.keys.flatMap((spans, node) =>
      spans.map(({ from, to, client }) => {
        const tone = client === 0 ? "a" : "b";
        const name = client === 0 ? "key of A" : "key of B";
        return span(tone, from, to, nodeY(node)) + inBar(name, x(from) + 7, nodeY(node), tone);
      }),
    ),
    // B
    line("b", [x(life.waits), middle(LANES.b)], [x(life.takenOver) - 4, middle(LANES.b)], "dotted"),
    say("waits", x(life.waits) - 4, middle(LANES.b) + 4, { tone: "b", anchor: "end" }),
    span("b", life.takenOver, life.end, LANES.b),
    inBar("holds", x(life.takenOver) + 20, LANES.b, "b"),
    // Where the notes belong
    badge(1, x(life.granted) + 9, middle(LANES.a)),
    badge(2, x(life.validity[1]?.from ?? 0) - 11, LANES.validity + 8),
    badge(3, x(life.cutOff) + 10, middle(LANES.a)),
    badge(4, x(life.lost) + 11, middle(LANES.a)),
    badge(5, x(life.takenOver) + 9, middle(LANES.b)),
    badge(6, x(life.left.at) + 11, middle(nodeY(life.left.node))),
  ];
  const names: readonly (readonly [string, number])[] = [
    ["client A", middle(LANES.a)],
    ["validity", LANES.validity + 8],
    ...life.keys.map((_, node) => [`node ${node + 1}`, middle(nodeY(node))] as const),
    ["client B", middle(LANES.b)],
  ];
  return sheet(
    { title, width, height: bottom + MARGIN, style: isMoving ? motion(life, x) : "" },
    say(title, MARGIN, 26, { size: 14, isBold: true }),
    ...TICKS_S.map((at) => {
      const mark = rule([x(at), AXIS_Y + 5], [x(at), LANES.bottom]);
      return mark + say(`${at} s`, x(at), AXIS_Y, { tone: "soft", anchor: "middle", size: 11 });
    }),
    ...names.map(([name, y]) => say(name, MARGIN, y + 4, { tone: "soft", size: 11 })),
    ...drawing,
    ...(isMoving ? [future(width)] : []),
    ...words.map((word, at) =>
      isMoving ? element("g", { class: `note n${at + 1}` }, word) : word,
    ),
  );
}

/** Hides what has not happened yet. */
function future(width: number): string {
  const area = { x: 0, y: AXIS_Y + 5, width: width - 2, height: LANES.bottom - AXIS_Y };
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

function motion(life: Life, x: (s: number) => number): string {
  const all = TOLD_S + STANDS_S;
  const percent = (s: number): string =>
    ((100 * TOLD_S * (s + BEFORE_S)) / (life.end + BEFORE_S) / all).toFixed(2);
  const told = percent(life.end);
  const instants = [
    life.granted,
    life.validity[1]?.from ?? 0,
    ...[life.cutOff, life.lost, life.takenOver, life.left.at],
  ];
  const [from, to] = [x(-BEFORE_S), x(life.end)];
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
