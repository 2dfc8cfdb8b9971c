import { OPTIONS, type OptionName, type Place } from "../src/options/table.js";
import { commentsIn, read, tableOf, type Comment } from "./source.js";

/** Pages that say more about an option. */
const PAGES: Readonly<Partial<Record<OptionName, string>>> = {
  waitMs: "[waiting](guarantees.md#liveness)",
  mode: "[shared locks](../how-to/shared-locks.md)",
  fair: "[waiting](../internals/protocol.md#waiting)",
  maxWaiters: "[a queue with an end](../how-to/recipes.md#a-queue-with-an-end)",
  value: "[observing an election](../how-to/election.md#observing-an-election)",
  owner: "[owners](../how-to/owners.md)",
  reentrant: "[reentrancy](../how-to/reentrancy.md)",
  steal: "[stealing](../how-to/web-locks.md#stealing)",
  lockDelayMs: "[lock-delay](../how-to/lock-delay.md), [example](../../examples/lock-delay.ts)",
  minHoldMs: "[lock-delay](../how-to/lock-delay.md)",
  permits: "[semaphores](../how-to/semaphores.md)",
  onError: "[election](../how-to/election.md)",
  quarantine: "[restarts and quarantine](../operate/restarts.md#quarantine)",
  layout:
    "[Redisson](../how-to/other-clients.md#redisson), [SETNX and GETSET locks](../how-to/other-clients.md#setnx-and-getset)",
  clockStepMs: "[clocks](../operate/clocks.md)",
};

/** Where an option may be given, in the words of the page. */
const CALLS: Readonly<Record<Exclude<Place, "manager">, string>> = {
  acquire: "`acquire`",
  request: "`request`",
  elect: "`elect`",
  semaphore: "`semaphore`",
  permit: "permits",
  adopt: "`adopt`",
};

interface Row {
  readonly places: readonly Place[];
  readonly isEveryday?: boolean;
}

/**
 * The tables of options: which there are and where is from their table, what they mean from their comments.
 *
 * @throws Error for an option without a comment
 */
export function optionTables(
  options: Readonly<Record<string, Row>> = OPTIONS,
  comments: string = read("src/api/options.ts"),
): Record<string, string> {
  const known = commentsIn(comments);
  const rows = Object.entries(options).map(([name, row]) => ({ ...row, ...aboutOf(known, name) }));
  const isOfManager = ({ places }: Row): boolean => places.join() === "manager";
  const everyday = rows.filter(({ isEveryday }) => isEveryday === true);
  const others = rows.filter(({ isEveryday }) => isEveryday !== true);
  return {
    "options:everyday": optionTable(everyday, true),
    "options:more": optionTable(
      others.filter((row) => !isOfManager(row)),
      true,
    ),
    "options:manager": optionTable(others.filter(isOfManager), false),
  };
}

function optionTable(rows: readonly (Row & Comment)[], hasPlaces: boolean): string {
  const pages: Readonly<Record<string, string | undefined>> = PAGES;
  const cells = rows.map(({ name, places, byDefault, meaning }) => [
    `\`${name}\``,
    ...(hasPlaces ? [whereOf(places)] : []),
    asCode(byDefault),
    pages[name] === undefined ? meaning.replace(/\.$/, "") : `${meaning} See ${pages[name]}`,
  ]);
  return tableOf(["option", ...(hasPlaces ? ["where"] : []), "default", "meaning"], cells);
}

function whereOf(places: readonly Place[]): string {
  const calls = places.filter((place) => place !== "manager");
  const isAll = calls.length === Object.keys(CALLS).length;
  const named = isAll ? "all calls" : calls.map((call) => CALLS[call]).join(", ");
  return [...(places.includes("manager") ? ["manager"] : []), named].filter(Boolean).join(", ");
}

/** The first one of a name counts. */
function aboutOf(known: readonly Comment[], name: string): Comment {
  const comment = known.find((each) => each.name === name);
  if (comment === undefined) throw new Error(`\`${name}\` has no comment`);
  return comment;
}

/** A literal at the beginning is code. */
function asCode(text: string): string {
  return text.replace(/^(?:[\d_.]+|"[^"]*"|true|false|Infinity)(?=$|[ ,;])/, "`$&`");
}
