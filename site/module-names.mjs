import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Converter, ReflectionKind } from "typedoc";
import { importNames } from "./import-names.mjs";

const { exports } = JSON.parse(
  readFileSync(join(import.meta.dirname, "..", "package.json"), "utf8"),
);

/** Names each module by its import path: `quorate/fencing`, not `fencing/index`. */
export function load(app) {
  const names = importNames(exports);
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (_, reflection) => {
    if (!reflection.kindOf(ReflectionKind.Module)) return;
    const name = names.get(reflection.name.replace(/\/?index$/, ""));
    if (name === undefined) throw new Error(`package.json exports no ${reflection.name}`);
    reflection.name = name;
  });
}
