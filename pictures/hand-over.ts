import type { HistoryEvent, SendEvent } from "../sim/oracles/history.js";
import type { Played } from "../site/playground/world/play.js";
import { found } from "./found.js";
import {
  arrow,
  badge,
  bar,
  heading,
  line,
  MARGIN,
  notes,
  PHONE_PX,
  rule,
  say,
  sheet,
} from "./pen.js";
import type { Tone } from "./pen.js";

const TITLE = "A lock is handed over";
const X = { a: 44, node: 130, step: 50, b: PHONE_PX - 44 } as const;
const NAMES_Y = 52;
const TOP = 64;
/** Of a bar on a lifeline. */
const WIDTH = 10;
/** Room for a round trip of some 45 ms, and between two things that happen long after each other. */
const PX_PER_MS = 1.7;
const PAUSE_PX = 40;
const AFTER_PX = 34;

type Of<Kind extends HistoryEvent["kind"]> = HistoryEvent & { readonly kind: Kind };

/** One message to a node, its step there, and the answer, µs. */
interface Trip {
  readonly node: number;
  readonly sentUs: number;
  readonly doneUs: number;
  readonly answeredUs: number;
}

function handOverIn({ history: { events } }: Played) {
  const of = <Kind extends HistoryEvent["kind"]>(kind: Kind): Of<Kind>[] =>
    events.filter((event): event is Of<Kind> => event.kind === kind);
  const tripsOf = (process: string): Trip[] => {
    const isAsked = ({ op, process: from }: SendEvent): boolean =>
      op === "acquire" && from === process;
    return of("send")
      .filter(isAsked)
      .map(({ node, atUs, round, ownerId }) => ({
        node,
        sentUs: atUs,
        doneUs: found(
          of("key").find((key) => key.node === node && key.after === ownerId),
          "a key",
        ).atUs,
        answeredUs: found(
          of("vote").find((vote) => {
            return vote.node === node && vote.round === round && vote.process === process;
          }),
          "a vote",
        ).atUs,
      }));
  };
  const [grantA, grantB] = of("grant");
  const given = found(
    of("end").find(({ why }) => why === "given"),
    "a lock that is given away",
  );
  return {
    asks: tripsOf("c0"),
    adopts: tripsOf("c1"),
    heldUs: found(grantA, "a grant").atUs,
    givenUs: given.atUs,
    adoptedUs: found(grantB, "an adoption").atUs,
    isTokenHigher: (grantB?.token ?? 0) > (grantA?.token ?? 0),
  };
}

export function handOverInWords(played: Played): string {
  const { adopts, isTokenHigher } = handOverIn(played);
  const token = isTokenHigher ? "with a higher token" : "";
  return `A sequence of messages. Client A acquires a lock on ${adopts.length} nodes. lock.handOver() ends it at A and returns JSON, which A sends to client B. B calls locks.adopt(), and each node replaces the key of A by that of B in one step. From then on B holds the lock, ${token}.`;
}

/** Time goes down. What is long is shortened, and drawn as such. */
export function handOverPicture(played: Played): string {
  const run = handOverIn(played);
  const [askUs, adoptUs] = [run.asks, run.adopts].map((trips) => trips[0]?.sentUs ?? 0);
  const answered = (trips: readonly Trip[]): number =>
    Math.max(...trips.map(({ answeredUs }) => answeredUs));
  const at =
    (y: number, fromUs = 0) =>
    (us: number) =>
      y + ((us - fromUs) / 1_000) * PX_PER_MS;
  const asking = at(TOP + 14, askUs);
  const givenY = asking(answered(run.asks)) + PAUSE_PX;
  const adopting = at(givenY + PAUSE_PX, adoptUs);
  const adoptingY = adopting(adoptUs ?? 0);
  const bottom = adopting(answered(run.adopts)) + AFTER_PX;
  const nodeX = (node: number): number => X.node + node * X.step;
  const messages = (tone: Tone, x: number, trips: readonly Trip[], y: (us: number) => number) =>
    trips.flatMap(({ node, sentUs, doneUs, answeredUs }) => {
      const side = x < nodeX(node) ? -WIDTH / 2 : WIDTH / 2;
      const ends = [nodeX(node) + side, x - side] as const;
      return [
        arrow(tone, [ends[1], y(sentUs)], [ends[0], y(doneUs)]),
        arrow("good", [ends[0], y(doneUs)], [ends[1], y(answeredUs)]),
      ];
    });
  const life = (tone: Tone, x: number, from: number, to: number): string =>
    bar(tone, x - WIDTH / 2, from, WIDTH, to - from);
  const doneY = (trips: readonly Trip[], node: number, y: (us: number) => number): number =>
    y(
      found(
        trips.find((trip) => trip.node === node),
        "a trip",
      ).doneUs,
    );
  const lines: readonly (readonly [string, number])[] = [
    ["client A", X.a],
    ...run.asks.map(({ node }) => [`node ${node + 1}`, nodeX(node)] as const),
    ["client B", X.b],
  ];
  const words = notes(
    [
      "A acquires the lock: a quorum has its key.",
      "lock.handOver() ends it at A, before it returns. The keys stay on the nodes.",
      "A sends the JSON, by any way there is.",
      "locks.adopt(): each node replaces A's key by B's in one step. Nobody gets in between.",
      `B holds the lock${run.isTokenHigher ? ", with a higher token" : ""}.`,
    ],
    bottom + 26,
  );
  return sheet(
    { title: TITLE, height: words.bottom + MARGIN },
    heading(TITLE),
    ...lines.map(([name, x]) => {
      const label = say(name, x, NAMES_Y, { anchor: "middle", tone: "soft", size: 11 });
      return label + rule([x, TOP], [x, bottom]);
    }),
    ...messages("a", X.a, run.asks, asking),
    ...messages("b", X.b, run.adopts, adopting),
    line("ink", [X.a + WIDTH / 2, givenY], [X.b - WIDTH / 2 - 4, adoptingY], "dashed"),
    life("a", X.a, asking(run.heldUs), givenY),
    life("b", X.b, adopting(run.adoptedUs), bottom),
    ...run.asks.flatMap(({ node }) => {
      const change = doneY(run.adopts, node, adopting);
      return [
        life("a", nodeX(node), doneY(run.asks, node, asking), change),
        life("b", nodeX(node), change, bottom),
      ];
    }),
    badge(1, X.a, asking(askUs ?? 0) - 2),
    badge(2, X.a, givenY),
    badge(
      3,
      (X.a + X.node) / 2,
      givenY + ((adoptingY - givenY) * (X.node - X.a)) / 2 / (X.b - X.a),
    ),
    badge(4, X.b, adoptingY - 2),
    badge(5, X.b, adopting(run.adoptedUs) + 16),
    ...words.svg,
  );
}
