import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { PATIENT } from "../support/patient.js";

/** The compiled examples; a program that is read from there finds the compiled sources. */
export const examples: string = fileURLToPath(new URL("../../examples", import.meta.url));

/** How an example differs when it is run by a test. */
export interface Patience {
  /** Options of every lock manager; none where a ttl is the theme and shorter than these. */
  readonly options?: object;
  /** What else is changed. */
  readonly changes?: readonly (readonly [shown: string, run: string])[];
}

/** The example with other nodes than those that stand in it, if any do, and with more patience. */
export function programOf(
  name: string,
  urls: readonly string[],
  { options = PATIENT, changes = [] }: Patience = {},
): string {
  const file = readFileSync(`${examples}/${name}.js`, "utf8");
  const imported = /^(import \{.*)\bLockManager\b(.* from "\.\.\/src\/index\.js";)$/m;
  expect(file).to.match(imported);
  const patient = `class LockManager extends OfShown {
    constructor(nodes, own) { super(nodes, { ...${JSON.stringify(options)}, ...own }); }
  }`;
  const program = file
    .replace(imported, `$1LockManager as OfShown$2\n${patient}`)
    .replaceAll(
      /redis:\/\/127\.0\.0\.1:700(\d)/g,
      (url, index: string) => urls[Number(index) - 1] ?? url,
    );
  return changes.reduce((text, [shown, other]) => {
    expect(text).to.include(shown);
    return text.replace(shown, other);
  }, program);
}
