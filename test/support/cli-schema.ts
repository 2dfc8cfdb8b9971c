import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { expect } from "chai";
import { root } from "../docs/project.js";

/** The JSON schemas of docs/reference/cli.md, by the names that they have there. */
export function schemas(): ReadonlyMap<string, object> {
  const page = readFileSync(join(root, "docs", "reference", "cli.md"), "utf8");
  const found = page.matchAll(/<!-- schema:([\w-]+) -->\n\n```json\n(.*?)\n```/gs);
  return new Map(
    [...found].map(([, name = "", text = ""]) => [name, JSON.parse(text) as object] as const),
  );
}

let ajv: Ajv | undefined;

function withSchemas(): Ajv {
  const all = new Ajv({ strict: true, allErrors: true });
  for (const [key, schema] of schemas()) all.addSchema(schema, key);
  return all;
}

/**
 * Fails unless the text is JSON of the kind that the page promises.
 *
 * @returns what it says
 */
export function expectSchema(name: string, text: string): unknown {
  ajv ??= withSchemas();
  const value: unknown = JSON.parse(text);
  expect(ajv.validate(name, value), `${ajv.errorsText()} in ${text}`).to.equal(true);
  return value;
}
