import type { Command } from "./command.js";
import { HASH_COMMANDS } from "./hashes.js";
import { KEY_COMMANDS } from "./keys.js";
import { SERVER_COMMANDS } from "./server.js";
import { SORTED_SET_COMMANDS } from "./sorted-sets.js";
import { STRING_COMMANDS } from "./strings.js";

const COMMANDS: ReadonlyMap<string, Command> = new Map(
  Object.entries({
    ...STRING_COMMANDS,
    ...KEY_COMMANDS,
    ...HASH_COMMANDS,
    ...SORTED_SET_COMMANDS,
    ...SERVER_COMMANDS,
  }),
);

/** The commands for scripts and clients; undefined for those that this server does not know. */
export function commandOf(name: string): Command | undefined {
  return COMMANDS.get(name) ?? COMMANDS.get(name.toUpperCase());
}
