import { pictureOf } from "../site/playground/world/picture.js";
import type { Played } from "../site/playground/world/play.js";
import { found } from "./found.js";
import { badge, cross, heading, MARGIN, notes, PHONE_PX, sheet, type Tone } from "./pen.js";
import { seconds, TimeLine } from "./time-line.js";

const TITLE = "Three candidates, one leader";
const TICKS_S = [0, 10, 20, 30];
const FIRST_Y = 70;
const STEP = 30;
/** Of the candidates, in the order in which they lead. */
const TONES: readonly Tone[] = ["a", "b", "good"];

/** In seconds since the first campaign began. */
function termsIn(played: Played) {
  const { clients } = pictureOf(played);
  const startUs = found(clients[0]?.waits[0], "a campaign").fromUs;
  const s = (atUs: number): number => (atUs - startUs) / 1_000_000;
  const terms = clients
    .map(({ beliefs, waits }, client) => {
      const term = found(beliefs[0], `a term of client ${client}`);
      const from = s(found(waits[0], "a campaign").fromUs);
      return { from, leads: s(term.fromUs), ends: s(term.toUs), token: term.token ?? 0 };
    })
    .toSorted((a, b) => a.leads - b.leads);
  const [first, second, third] = terms;
  if (first === undefined || second === undefined || third === undefined) {
    throw new Error("the run of this picture has not three terms");
  }
  const isOrdered = first.token < second.token && second.token < third.token;
  if (!isOrdered || second.leads < first.ends || third.leads < second.ends) {
    throw new Error("the terms of this picture overlap");
  }
  const ttlS = played.scenario.options.ttlMs / 1_000;
  return { first, second, third, ttlS, endS: s(played.scenario.chaosMs * 1_000) };
}

export function electionInWords(played: Played): string {
  const { first, second, third } = termsIn(played);
  return `Three candidates of an election over time. A leads, and is killed at ${seconds(first.ends)}. B leads from ${seconds(second.leads)} on, and resigns at ${seconds(second.ends)}. C leads ${Math.round((third.leads - second.ends) * 1_000)} ms later. Each term has a higher token than the one before.`;
}

/** The terms of an election, and who stands by meanwhile. */
export function electionPicture(played: Played): string {
  const { first, second, third, ttlS, endS } = termsIn(played);
  const time = new TimeLine(-0.7, endS, PHONE_PX);
  const y = (at: number): number => FIRST_Y + at * STEP;
  const bottom = y(2) + 16;
  const words = notes(
    [
      "A leads. B and C stand by.",
      `A is killed. B leads ${seconds(second.leads - first.ends)} later: nobody can, until the lease of A has ended (${ttlS}\u00a0s after its last renewal).`,
      `B resigns, and C leads ${Math.round((third.leads - second.ends) * 1_000)}\u00a0ms later. Tokens grow from term to term.`,
    ],
    bottom + 26,
  );
  const lanes = [first, second, third].flatMap(({ from, leads, ends }, at) => {
    const tone = TONES[at] ?? "ink";
    return [
      time.name(`client ${"ABC"[at]}`, y(at)),
      ...(at === 0 ? [] : [time.wait(tone, from, leads, y(at))]),
      time.span(tone, leads, ends, y(at)),
      time.inside(tone, "leads", leads, y(at), at === 0 ? 22 : 7),
    ];
  });
  return sheet(
    { title: TITLE, height: words.bottom + MARGIN },
    heading(TITLE),
    ...time.axis(TICKS_S, bottom),
    ...lanes,
    badge(1, time.x(first.leads) + 10, y(0)),
    cross(time.x(first.ends), y(0), 6),
    badge(2, time.x(first.ends) + 17, y(0)),
    badge(3, time.x(second.ends) + 11, y(1)),
    ...words.svg,
  );
}
