import { clientOf, pictureOf } from "../site/playground/world/picture.js";
import type { Played } from "../site/playground/world/play.js";
import { found } from "./found.js";
import { arrow, badge, cross, heading, line, MARGIN, notes, PHONE_PX, sheet } from "./pen.js";
import { seconds, TimeLine } from "./time-line.js";

const TITLE = "A late write, refused by the store";
const TICKS_S = [0, 5, 10, 15, 20];
const LANES = { a: 70, b: 102, store: 150 } as const;
const BOTTOM = 172;

/** In seconds since the first acquire. */
function writesIn(played: Played) {
  const { clients, store } = pictureOf(played);
  const holdsA = found(clients[0]?.beliefs[0], "a grant of A");
  const holdsB = found(clients[1]?.beliefs[0], "a grant of B");
  const s = (atUs: number): number => (atUs - holdsA.fromUs) / 1_000_000;
  const pause = found(clients[0]?.stops[0], "a pause");
  const readBy = (client: number): number => {
    const read = played.history.events.find((event) => {
      return event.kind === "store" && event.what === "read" && clientOf(event.process) === client;
    });
    return s(found(read, `a read by client ${client}`).atUs);
  };
  const fenced = store.filter((access) => access.store === "fenced");
  const [write, refused] = fenced;
  if (write?.client !== 1 || write.what !== "write" || refused?.what !== "reject") {
    throw new Error("the run of this picture has not one write by B and one refusal of A");
  }
  const [tokenA, tokenB] = differing(String(holdsA.token), String(holdsB.token));
  return {
    ...{ endsA: s(holdsA.toUs), fromB: s(holdsB.fromUs), endsB: s(holdsB.toUs), tokenA, tokenB },
    ...{ paused: s(pause.fromUs), wakes: s(pause.toUs) },
    ...{ waits: s(found(clients[1]?.waits[0], "a wait").fromUs) },
    ...{ readByA: readBy(0), readByB: readBy(1) },
    ...{ written: s(write.atUs), refused: s(refused.atUs) },
    end: s(played.scenario.chaosMs * 1_000),
  };
}

/** Two long numbers without the digits in which they begin alike. */
function differing(one: string, other: string): [string, string] {
  let at = 0;
  while (at < one.length - 1 && one[at] === other[at]) at++;
  return [`…${one.slice(at)}`, `…${other.slice(at)}`];
}

export function lateWriteInWords(played: Played): string {
  const { paused, fromB, tokenA, tokenB, refused } = writesIn(played);
  return `Client A holds the lock with token ${tokenA} and is paused at ${seconds(paused)}, just before it writes. Client B gets the lock at ${seconds(fromB)} with token ${tokenB}, and writes. A wakes up at ${seconds(refused)} and writes as well. The store has seen the larger token, and refuses.`;
}

/** Two holders and a store that checks tokens, over time. */
export function lateWritePicture(played: Played): string {
  const life = writesIn(played);
  const time = new TimeLine(-0.7, life.end, PHONE_PX);
  const words = notes(
    [
      `A has token ${life.tokenA}, checks that it holds the lock, and is paused before it writes.`,
      `The lease of A ends. B gets the lock, with token ${life.tokenB}.`,
      "B reads and writes. The store remembers the highest token that it was shown: its fence.",
      "A wakes up, and its write arrives. Its token is lower than the fence: refused.",
    ],
    BOTTOM + 26,
  );
  const storeTop = LANES.store - 10;
  const refused = time.x(life.refused);
  return sheet(
    { title: TITLE, height: words.bottom + MARGIN },
    heading(TITLE),
    ...time.axis(TICKS_S, BOTTOM),
    time.name("client A", LANES.a),
    time.span("a", 0, life.endsA, LANES.a),
    time.span("soft", life.paused, life.wakes, LANES.a),
    time.inside("soft", "paused", life.paused, LANES.a, 22),
    // The validity ends whether or not anybody runs.
    line("a", [time.x(life.endsA), LANES.a - 10], [time.x(life.endsA), LANES.a + 10], "dashed"),
    time.name("client B", LANES.b),
    time.wait("b", life.waits, life.fromB, LANES.b, "waits"),
    time.span("b", life.fromB, life.endsB, LANES.b),
    time.name("store", LANES.store),
    time.span("a", life.readByA, life.readByB, LANES.store),
    time.inside("a", "fence: token of A", life.readByA, LANES.store),
    time.span("b", life.readByB, life.end, LANES.store),
    time.inside("b", "token of B", life.readByB, LANES.store, 30),
    ...[life.readByB, life.written].map((at) => {
      return arrow("b", [time.x(at), LANES.b + 10], [time.x(at), storeTop - 1]);
    }),
    arrow("a", [refused, LANES.a + 10], [refused, storeTop - 6]),
    cross(refused, storeTop - 4),
    badge(1, time.x(life.paused) + 10, LANES.a),
    badge(2, time.x(life.fromB) + 10, LANES.b),
    badge(3, time.x(life.readByB) - 12, LANES.b + 24),
    badge(4, refused + 13, LANES.b + 24),
    ...words.svg,
  );
}
