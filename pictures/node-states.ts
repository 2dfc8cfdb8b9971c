import type { ChannelState } from "../src/channel/channel-state.js";
import { DEFAULTS } from "../src/options/table.js";
import { arrow, bar, heading, line, say, sheet, type Tone } from "./pen.js";

/** How a node in a state comes to vote: it does, it will by itself, somebody must act, or it never will. */
export type Band = "votes" | "itself" | "you" | "never";

interface State {
  readonly band: Band;
  /** What is the matter, and when it votes. */
  readonly happened: string;
  readonly votes: string;
}

/** All states that the sources know. */
export const NODE_STATES: Readonly<Record<ChannelState, State>> = {
  ready: {
    band: "votes",
    happened: "all is well",
    votes: "votes",
  },
  connecting: {
    band: "itself",
    happened: "no handshake yet",
    votes: "within seconds",
  },
  down: {
    band: "itself",
    happened: "no connection",
    votes: "retried every second",
  },
  suspected: {
    band: "itself",
    happened: "answers are overdue",
    votes: "as soon as it answers",
  },
  quarantined: {
    band: "itself",
    happened: "may have forgotten locks",
    votes: `after maxTtlMs (${DEFAULTS.maxTtlMs / 1_000} s)`,
  },
  misconfigured: {
    band: "you",
    happened: "answers, but must not vote",
    votes: "detail says what to do",
  },
  closed: {
    band: "never",
    happened: "the manager is closed",
    votes: "",
  },
};

const BANDS: Readonly<Record<Band, readonly [title: string, tone: Tone]>> = {
  votes: ["Votes", "good"],
  itself: ["Will vote again by itself", "a"],
  you: ["Waits for you", "bad"],
  never: ["Is no longer asked", "soft"],
};

const TITLE = "States of a node";
const FIRST_Y = 42;
const TITLE_HEIGHT = 26;
const ROW_HEIGHT = 40;
const BAND_GAP = 8;
const CHIP = { x: 58, width: 112, height: 26 } as const;
const WORDS_X = CHIP.x + CHIP.width + 10;
/** Where the lines rise to the state that votes. */
const RISES: Readonly<Record<"itself" | "you", number>> = { itself: 40, you: 24 };

const all = Object.entries(NODE_STATES) as [ChannelState, State][];
const inBand = (band: Band): [ChannelState, State][] => all.filter(([, row]) => row.band === band);
const bands = Object.keys(BANDS) as Band[];

export function nodeStatesInWords(): string {
  const told = bands.map((band) => {
    const states = inBand(band).map(([state, { happened, votes }]) => {
      return `${state} (${[happened, votes].filter(Boolean).join(", ")})`;
    });
    return `${BANDS[band][0]}: ${states.join("; ")}.`;
  });
  return `${TITLE}. ${told.join(" ")}`;
}

/** The states by what makes a node in them vote, with lines that lead to the one that does. */
export function nodeStatesPicture(): string {
  const parts: string[] = [];
  let y = FIRST_Y;
  let readyBottom = 0;
  for (const band of bands) {
    const [title, tone] = BANDS[band];
    parts.push(say(title, CHIP.x, y + 16, { tone, isBold: true }));
    y += TITLE_HEIGHT;
    const rowsY: number[] = [];
    for (const [state, { happened, votes }] of inBand(band)) {
      const middle = y + CHIP.height / 2;
      const hasTwoLines = votes !== "" && band !== "votes";
      rowsY.push(middle);
      parts.push(
        bar(tone, CHIP.x, y, CHIP.width, CHIP.height),
        say(state, CHIP.x + CHIP.width / 2, middle + 4, { tone, anchor: "middle", isBold: true }),
        say(happened, WORDS_X, hasTwoLines ? middle - 3 : middle + 4, { size: 11 }),
      );
      if (hasTwoLines) parts.push(say(votes, WORDS_X, middle + 12, { tone: "soft", size: 11 }));
      y += ROW_HEIGHT;
    }
    if (band === "votes") readyBottom = (rowsY[0] ?? 0) + CHIP.height / 2;
    if (band === "itself" || band === "you") {
      const x = RISES[band];
      const last = rowsY.at(-1) ?? 0;
      parts.push(...rowsY.map((row) => line(tone, [x, row], [CHIP.x, row])));
      const ready = readyBottom - CHIP.height / 2 + (band === "itself" ? 5 : -5);
      parts.push(line(tone, [x, last], [x, ready]), arrow(tone, [x, ready], [CHIP.x - 1, ready]));
    }
    y += BAND_GAP;
  }
  return sheet({ title: TITLE, height: y - BAND_GAP + 2 }, heading(TITLE), ...parts);
}
