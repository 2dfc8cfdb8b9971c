import { readFileSync } from "node:fs";
import type { LoadHook, ResolveHook } from "node:module";
import { join } from "node:path";
import type { BrokenCode } from "./broken-code.js";

/**
 * Module hooks: what a module of a mutant imports is a module of that mutant too, if it is affected by the change.
 * So one process can hold the unchanged build and any number of mutants beside each other.
 */

let code: BrokenCode = { root: "", folder: "", changed: {}, affected: {} };
let affected: Readonly<Record<string, ReadonlySet<string>>> = {};

export function initialize(given: BrokenCode): void {
  code = given;
  affected = Object.fromEntries(
    Object.entries(given.affected).map(([mutant, files]) => [mutant, new Set(files)]),
  );
}

export const resolve: ResolveHook = async (specifier, context, nextResolve) => {
  const resolved = await nextResolve(specifier, context);
  const mutant = mutantOf(context.parentURL);
  const isOurs = mutant !== undefined && affected[mutant]?.has(fileOf(resolved.url)) === true;
  return isOurs ? { ...resolved, url: addressOf(resolved.url, mutant) } : resolved;
};

export const load: LoadHook = async (url, context, nextLoad) => {
  const mutant = mutantOf(url);
  const file = fileOf(url);
  if (mutant === undefined || code.changed[mutant]?.includes(file) !== true) {
    return nextLoad(url, context);
  }
  const source = readFileSync(join(code.folder, mutant, file), "utf8");
  return { format: "module", source, shortCircuit: true };
};

/** Where a module of a mutant is imported from. */
export function addressOf(url: string, mutant: string): string {
  return `${url.replace(/\?.*$/, "")}?mutant=${mutant}`;
}

/** Within the build, if it is of it. */
function fileOf(url: string): string {
  return url.startsWith(code.root) ? url.slice(code.root.length).replace(/\?.*$/, "") : "";
}

function mutantOf(url: string | undefined): string | undefined {
  return /\?mutant=([\w-]+)/.exec(url ?? "")?.[1];
}
