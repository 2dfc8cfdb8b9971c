import { choicesTable } from "../pictures/choices.js";
import { cliTables } from "./cli.js";
import { entryTables } from "./entries.js";
import { errorTables } from "./errors.js";
import { eventTables } from "./events.js";
import { fillMarks } from "./marks.js";
import { optionTables } from "./options.js";

/** What is made from the sources, by page and by the name of its marks. */
export function reference(): Record<string, Record<string, string>> {
  return {
    "docs/reference/api.md": { ...optionTables(), ...entryTables() },
    "docs/reference/errors.md": errorTables(),
    "docs/reference/events.md": eventTables(),
    "docs/reference/cli.md": cliTables(),
    "docs/start/choosing.md": { choices: choicesTable() },
  };
}

export { fillMarks };
