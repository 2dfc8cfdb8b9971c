import { CHOICES } from "./choices.js";
import { bar, heading, line, MARGIN, PHONE_PX, say, sheet, widthOf } from "./pen.js";

const TITLE = "Which lock do I need?";
const FIRST_Y = 60;
const FORK_STEP = 30;
const BRANCH_STEP = 28;
const TRUNK_X = MARGIN + 4;
const BRANCH_X = TRUNK_X + 20;
const WORDS_X = BRANCH_X + 22;
/** Less would be dots, and no line. */
const SHORTEST_LEADER = 30;
const CODE_SIZE = 11;
const CODE_HEIGHT = 20;

export function treeInWords(): string {
  const forks = CHOICES.map(({ question, branches }) => {
    return `${question}: ${branches.map(({ when, code }) => `${when}, ${code}`).join("; ")}.`;
  });
  return `${TITLE} ${forks.join(" ")}`.replaceAll('"', "'").replaceAll(/[[\]]/g, "");
}

/** Forks below each other, each with its branches and what they lead to. */
export function treePicture(): string {
  const parts: string[] = [];
  let y = FIRST_Y;
  let lastForkY = y;
  for (const { question, branches } of CHOICES) {
    const forkY = y;
    lastForkY = forkY;
    parts.push(line("soft", [TRUNK_X, forkY], [BRANCH_X - 6, forkY]));
    parts.push(say(question, BRANCH_X - 2, forkY + 4, { isBold: true }));
    for (const { when, code } of branches) {
      y += BRANCH_STEP;
      const width = widthOf(code, CODE_SIZE) + 16;
      const left = PHONE_PX - MARGIN - width;
      const end = WORDS_X + widthOf(when);
      parts.push(
        line("soft", [BRANCH_X + 2, y], [WORDS_X - 5, y]),
        say(when, WORDS_X, y + 4),
        ...(left - end < SHORTEST_LEADER
          ? []
          : [line("soft", [end + 4, y], [left - 6, y], "dotted")]),
        bar("a", left, y - CODE_HEIGHT / 2, width, CODE_HEIGHT),
        say(code, left + width / 2, y + 4, {
          ...({ anchor: "middle", tone: "a", isCode: true } as const),
          size: CODE_SIZE,
        }),
      );
    }
    parts.push(line("soft", [BRANCH_X + 2, forkY + 10], [BRANCH_X + 2, y]));
    y += FORK_STEP + 4;
  }
  const trunk = line("soft", [TRUNK_X, FIRST_Y - 24], [TRUNK_X, lastForkY]);
  return sheet(
    { title: TITLE, height: y - FORK_STEP + MARGIN + 8 },
    heading(TITLE),
    trunk,
    ...parts,
  );
}
