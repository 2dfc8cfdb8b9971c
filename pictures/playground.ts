import { pictureOf } from "../site/playground/world/picture.js";
import type { Match, Played } from "../site/playground/world/play.js";
import { found } from "./found.js";
import { badge, heading, MARGIN, notes, PHONE_PX, say, sheet, type Tone } from "./pen.js";
import { seconds, TimeLine } from "./time-line.js";

const TITLE = "The same fault, twice";
const TICKS_S = [2, 4, 6, 8];
/** The middle of the first lane of each side, and the height of a lane. */
const TOPS = { naive: 92, quorate: 178 } as const;
const STEP = 28;
const TONES: readonly Tone[] = ["a", "b"];

/** Who believes to hold the lock when, in seconds; and from when to when two do. */
function beliefsIn(played: Played) {
  const { clients } = pictureOf(played);
  const s = (atUs: number): number => atUs / 1_000_000;
  const [one, two] = clients.map(({ beliefs, waits }, client) => {
    const belief = found(beliefs[0], `a grant of client ${client}`);
    return {
      from: s(belief.fromUs),
      to: s(belief.toUs),
      waits: s(found(waits[0], "a call").fromUs),
    };
  });
  return { one: found(one, "a client"), two: found(two, "another client") };
}

function storyOf({ naive, quorate }: Match) {
  const jump = found(
    naive.history.events.find((event) => event.kind === "node" && event.what === "jump"),
    "a clock that jumps",
  );
  const [left, right] = [beliefsIn(naive), beliefsIn(quorate)];
  if (left.two.from >= left.one.to) throw new Error("the naive clients of this picture take turns");
  if (right.two.from < right.one.to) throw new Error("Quorate has two holders in this picture");
  const both = { from: left.two.from, to: Math.min(left.one.to, left.two.to) };
  return { left, right, both, jumpS: jump.atUs / 1_000_000, endS: naive.scenario.chaosMs / 1_000 };
}

export function playgroundInWords(match: Match): string {
  const { right, both, jumpS } = storyOf(match);
  return `A scene of the playground: the clock of a node jumps at ${seconds(jumpS)}. With a naive Redlock, clients 0 and 1 both hold the lock from ${seconds(both.from)} to ${seconds(both.to)}. With Quorate, client 1 holds it at ${seconds(right.two.from)}, after client 0 has released it.`;
}

/** Both sides of a scene of the playground: who holds the lock. */
export function playgroundPicture(match: Match): string {
  const { left, right, both, jumpS, endS } = storyOf(match);
  const time = new TimeLine(1.2, endS, PHONE_PX);
  const bottom = TOPS.quorate + STEP + 18;
  const words = notes(
    [
      "The clock of node 1 jumps. The key of client 0 expires there.",
      `Naive Redlock: client 1 holds the lock too, for ${seconds(both.to - both.from)}.`,
      "Quorate: keys outlive their lease. Client 1 waits until client 0 has released.",
    ],
    bottom + 26,
  );
  const side = (name: keyof typeof TOPS, title: string, { one, two }: typeof left): string[] => {
    const [first, second] = [TOPS[name], TOPS[name] + STEP];
    return [
      say(title, MARGIN, first - 18, { isBold: true }),
      time.name("client 0", first),
      time.span(TONES[0] ?? "a", one.from, one.to, first),
      time.inside("a", "holds", one.from, first),
      time.name("client 1", second),
      time.wait("b", two.waits, two.from, second),
      time.span(TONES[1] ?? "b", two.from, two.to, second),
      time.inside("b", "holds", two.from, second),
    ];
  };
  return sheet(
    { title: TITLE, height: words.bottom + MARGIN },
    heading(TITLE),
    ...time.axis(TICKS_S, bottom),
    time.instant("bad", jumpS, TOPS.naive - 12, bottom),
    time.span("bad", both.from, both.to, TOPS.naive + STEP / 2),
    ...side("naive", "Naive", left),
    ...side("quorate", "Quorate", right),
    badge(1, time.x(jumpS), bottom - 2),
    badge(2, time.x(left.two.to) + 12, TOPS.naive + STEP),
    badge(3, time.x(right.two.to) + 12, TOPS.quorate + STEP),
    ...words.svg,
  );
}
