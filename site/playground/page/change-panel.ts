import type { Scenario } from "../../../sim/scenario.js";
import { ACTIONS, describeFault, withChange, type Action, type Target } from "../world/changes.js";
import { MAX_MS } from "../world/scenario.js";
import { button, el } from "./dom.js";

interface Panel {
  /** The current time of the player, ms. */
  readonly nowMs: () => number;
  readonly onChange: (scenario: Scenario, what: string) => void;
}

/** The form for additional events (what, on which target, and when), and the list of the planned ones. */
export class ChangePanel {
  readonly #root: HTMLElement;
  readonly #panel: Panel;
  readonly #target = el("select", { id: "target" });
  readonly #action = el("select", { id: "action" });
  readonly #amount = el("input", { type: "number", id: "amount", step: "any", hidden: "" });
  readonly #amountLabel = el("label", { for: "amount" });
  readonly #list = el("ul", { class: "faults" });
  #scenario: Scenario | undefined;

  constructor(root: HTMLElement, panel: Panel) {
    this.#root = root;
    this.#panel = panel;
    this.#target.addEventListener("change", () => this.#showActions());
    this.#action.addEventListener("change", () => this.#showAmount());
    const form = el(
      "form",
      {},
      el("label", { for: "target" }, "To "),
      this.#target,
      el("label", { for: "action" }, " do: "),
      this.#action,
      " ",
      this.#amountLabel,
      this.#amount,
      " ",
      el("button", { type: "submit" }, "Do it now"),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    const intro =
      "A change happens on both sides, at the time shown above. Select a client or node here or by its name beside a lane. Drag the clock below a node's name to set it.";
    const longer = button("Extend by 10 s", () => this.#lengthen(), { class: "longer" });
    root.append(el("h2", {}, "Change the world"), el("p", {}, intro), form, this.#list, longer);
  }

  show(scenario: Scenario): void {
    const before = this.#target.value;
    const targets = targetsOf(scenario);
    const isNew = this.#scenario?.clients.length !== scenario.clients.length;
    this.#scenario = scenario;
    if (isNew) {
      this.#target.replaceChildren(
        ...targets.map(([value, text]) => el("option", { value }, text)),
      );
      if (targets.some(([value]) => value === before)) this.#target.value = before;
      this.#showActions();
    }
    const rows = [
      ...scenario.workload.map(({ atMs, client, holdMs }, index) => ({
        atMs,
        text: `client ${client}: uses the lock for ${holdMs / 1_000} s`,
        remove: (): Scenario => ({ ...scenario, workload: without(scenario.workload, index) }),
        move: (to: number): Scenario => ({
          ...scenario,
          workload: moved(scenario.workload, index, to),
        }),
      })),
      ...scenario.faults.map((fault, index) => ({
        atMs: fault.atMs,
        text: describeFault(fault),
        remove: (): Scenario => ({ ...scenario, faults: without(scenario.faults, index) }),
        move: (to: number): Scenario => ({
          ...scenario,
          faults: moved(scenario.faults, index, to),
        }),
      })),
    ].toSorted((a, b) => a.atMs - b.atMs);
    this.#list.replaceChildren(
      ...rows.map(({ atMs, text, remove, move }) => {
        const attributes = {
          type: "number",
          min: 0,
          max: MAX_MS / 1_000,
          step: "any",
          value: atMs / 1_000,
        };
        const at = el("input", { ...attributes, "aria-label": `when, in seconds: ${text}` });
        at.addEventListener("change", () => {
          if (!at.checkValidity() || at.value === "") return;
          this.#panel.onChange(move(Math.round(at.valueAsNumber * 1_000)), `moved: ${text}`);
        });
        const take = (): void => this.#panel.onChange(remove(), `removed: ${text}`);
        return el(
          "li",
          {},
          at,
          ` s ${text} `,
          button("remove", take, { "aria-label": `remove: ${text}` }),
        );
      }),
    );
  }

  /** As if the target had been selected in the list. */
  choose(target: Target): void {
    this.#target.value = valueOf(target);
    this.#showActions();
    this.#root.scrollIntoView({ block: "nearest" });
    this.#action.focus();
  }

  #showActions(): void {
    const { kind } = targetIn(this.#target.value);
    const actions = ACTIONS.filter(({ on }) => on === kind);
    this.#action.replaceChildren(
      ...actions.map(({ id, label }) => el("option", { value: id }, label)),
    );
    this.#showAmount();
  }

  #showAmount(): void {
    const { amount } = this.#chosen;
    this.#amountLabel.textContent = amount === undefined ? "" : `${amount.label} `;
    this.#amount.hidden = amount === undefined;
    this.#amount.value = String(amount?.value ?? 0);
  }

  get #chosen(): Action {
    return ACTIONS.find(({ id }) => id === this.#action.value) as Action;
  }

  #submit(): void {
    const amount = this.#amount.valueAsNumber;
    if (this.#scenario === undefined || !Number.isFinite(amount) || Math.abs(amount) > 3_600)
      return;
    const target = targetIn(this.#target.value);
    const scenario = withChange(
      this.#scenario,
      this.#chosen.id,
      target,
      this.#panel.nowMs(),
      amount,
    );
    this.#panel.onChange(
      scenario,
      `${this.#target.selectedOptions[0]?.text}: ${this.#chosen.label}`,
    );
  }

  #lengthen(): void {
    const scenario = this.#scenario;
    if (scenario === undefined) return;
    const chaosMs = Math.min(MAX_MS, scenario.chaosMs + 10_000);
    this.#panel.onChange({ ...scenario, chaosMs }, `${chaosMs / 1_000} s long`);
  }
}

function without<T>(list: readonly T[], index: number): T[] {
  return list.filter((_, at) => at !== index);
}

function moved<T extends { readonly atMs: number }>(
  list: readonly T[],
  index: number,
  atMs: number,
): T[] {
  return list.map((each, at) => (at === index ? { ...each, atMs } : each));
}

function targetsOf({ clients, nodes }: Scenario): readonly (readonly [string, string])[] {
  return [
    ...nodes.map((_, node) => [`node ${node}`, `node ${node}`] as const),
    ...clients.map((_, client) => [`client ${client}`, `client ${client}`] as const),
    ...clients.flatMap((_, client) =>
      nodes.map(
        (_, node) =>
          [`link ${client} ${node}`, `link of client ${client} and node ${node}`] as const,
      ),
    ),
  ];
}

function valueOf(target: Target): string {
  if (target.kind === "link") return `link ${target.client} ${target.node}`;
  return target.kind === "node" ? `node ${target.node}` : `client ${target.client}`;
}

function targetIn(value: string): Target {
  const [kind, first, second] = value.split(" ");
  if (kind === "link") return { kind, client: Number(first), node: Number(second) };
  return kind === "client"
    ? { kind, client: Number(first) }
    : { kind: "node", node: Number(first) };
}
