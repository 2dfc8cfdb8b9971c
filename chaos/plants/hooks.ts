import type { LoadHook } from "node:module";
import type { Plant } from "../settings.js";
import { patchedText } from "./table.js";

/** Module hooks of a client process with a planted bug. */

const SRC = new URL("../../src/", import.meta.url).href;

let plant: Plant | undefined;

export function initialize(given: Plant): void {
  plant = given;
}

export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  if (plant === undefined || !url.startsWith(SRC) || loaded.source === undefined) return loaded;
  const { source } = loaded;
  const text = typeof source === "string" ? source : new TextDecoder().decode(source);
  return { ...loaded, source: patchedText(plant, url.slice(SRC.length), text) };
};
