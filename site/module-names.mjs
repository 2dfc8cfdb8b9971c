import { Converter, ReflectionKind } from "typedoc";

/** Names each module by its import path: `quorate/fencing`, not `fencing/index`. */
export function load(app) {
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (_, reflection) => {
    if (!reflection.kindOf(ReflectionKind.Module)) return;
    const entry = reflection.name.replace(/\/?index$/, "");
    reflection.name = entry === "" ? "quorate" : `quorate/${entry}`;
  });
}
