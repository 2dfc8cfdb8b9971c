import { defineCommand } from "./command.js";
import { SCHEMAS } from "./schemas.js";

const names = Object.keys(SCHEMAS);

export const schema = defineCommand({
  name: "schema",
  summary: "Print the JSON schema of what a command prints",
  synopsis: "NAME",
  words: { min: 1, max: 1, title: `one of ${names.join(", ")}`, choices: names },
  options: {},
  notes: `
error: what any command prints on stderr if it fails with --json. status: the lines of exec --status-fd.
observe: the lines of elect --observe. The others are what the command of that name prints.`,
  examples: ["quorate schema ls"],
  async run({ words: [name = ""], output }) {
    output.print(JSON.stringify(SCHEMAS[name as keyof typeof SCHEMAS], undefined, 2));
    return 0;
  },
});
