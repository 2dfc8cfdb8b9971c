import { traceLine } from "../../../sim/trace.js";
import { narration, ownersOf, plainly, type Told } from "../world/narrate.js";
import { SIDES, type Match, type Side } from "../world/play.js";
import { el, seconds } from "./dom.js";

const TITLES: Readonly<Record<Side, string>> = { naive: "Naive Redlock", quorate: "Quorate" };

/** The events of both sides as text: for screen readers, and for readers who want the details. */
export class TextTrace {
  readonly #lists: Readonly<Record<Side, HTMLOListElement>>;
  readonly #isExact = el("input", { type: "checkbox", id: "exact" });
  #told: Readonly<Record<Side, readonly Told[]>> = { naive: [], quorate: [] };
  #match: Match | undefined;
  #shown: Record<Side, number> = { naive: 0, quorate: 0 };
  #nowUs = 0;

  constructor(root: HTMLElement) {
    const listOf = (side: Side): HTMLOListElement =>
      el("ol", {
        "aria-live": "off",
        tabindex: 0,
        "aria-label": `trace of ${TITLES[side]}`,
      });
    this.#lists = { naive: listOf("naive"), quorate: listOf("quorate") };
    this.#isExact.addEventListener("change", () => this.#fill());
    const label = el(
      "label",
      { for: "exact" },
      this.#isExact,
      " every event, as npm run replay prints it",
    );
    const columns = SIDES.map((side) =>
      el("div", {}, el("h3", {}, TITLES[side]), this.#lists[side]),
    );
    root.append(
      el("h2", {}, "The trace as text"),
      label,
      el("div", { class: "columns" }, ...columns),
    );
  }

  show(match: Match): void {
    this.#match = match;
    this.#fill();
  }

  at(nowUs: number): void {
    this.#nowUs = nowUs;
    for (const side of SIDES) {
      const list = this.#lists[side];
      const told = this.#told[side];
      const isAtEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 30;
      while (this.#shown[side] > 0 && (told[this.#shown[side] - 1]?.atUs ?? 0) > nowUs) {
        list.lastElementChild?.remove();
        this.#shown[side]--;
      }
      const added: HTMLElement[] = [];
      for (
        let next = told[this.#shown[side]];
        next && next.atUs <= nowUs;
        next = told[this.#shown[side]]
      ) {
        added.push(el("li", { class: next.text.startsWith("Broken") ? "broken" : "" }, next.text));
        this.#shown[side]++;
      }
      list.append(...added);
      if (isAtEnd && added.length > 0) list.scrollTop = list.scrollHeight;
    }
  }

  #fill(): void {
    const match = this.#match;
    if (match === undefined) return;
    const toldOf = (side: Side): Told[] => {
      const { history, violations } = match[side];
      const lines = this.#isExact.checked
        ? history.events.map((event) => ({ atUs: event.atUs, text: traceLine(event) }))
        : narration(history.events, side === "naive").map(({ atUs, text }) => {
            return { atUs, text: `${seconds(atUs)} ${text}` };
          });
      const owners = ownersOf(history.events);
      const broken = violations.map(({ atUs, id, message }) => {
        return { atUs, text: `Broken at ${seconds(atUs)}: ${id}, ${plainly(message, owners)}.` };
      });
      return [...lines, ...broken].toSorted((a, b) => a.atUs - b.atUs);
    };
    this.#told = { naive: toldOf("naive"), quorate: toldOf("quorate") };
    this.#shown = { naive: 0, quorate: 0 };
    for (const side of SIDES) this.#lists[side].replaceChildren();
    this.at(this.#nowUs);
  }
}
