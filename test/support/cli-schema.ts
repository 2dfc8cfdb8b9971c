import { Ajv } from "ajv";
import { expect } from "chai";
import { SCHEMAS } from "../../src/cli/schemas.js";

let ajv: Ajv | undefined;

function withSchemas(): Ajv {
  const all = new Ajv({ strict: true, allErrors: true });
  for (const [key, schema] of Object.entries(SCHEMAS)) all.addSchema(schema, key);
  return all;
}

/**
 * Fails unless the text is JSON of the kind that `quorate schema` promises.
 *
 * @returns what it says
 */
export function expectSchema(name: keyof typeof SCHEMAS, text: string): unknown {
  ajv ??= withSchemas();
  const value: unknown = JSON.parse(text);
  expect(ajv.validate(name, value), `${ajv.errorsText()} in ${text}`).to.equal(true);
  return value;
}
