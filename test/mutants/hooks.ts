import type { LoadHook, ResolveHook } from "node:module";
import type { Patch } from "./mutant.js";
import { patched } from "./patched.js";

/**
 * Module hooks: what a module of a mutant imports is a module of that mutant too, if it is affected by the change.
 * So one process can hold the unchanged build and any number of mutants beside each other.
 */

export interface HookData {
  /** Address of the build, with a slash at the end. */
  readonly root: string;
  readonly patches: Readonly<Record<string, readonly Patch[]>>;
  /** Files of the build that each mutant needs copies of. */
  readonly affected: Readonly<Record<string, readonly string[]>>;
}

let data: HookData = { root: "", patches: {}, affected: {} };
let affected: Readonly<Record<string, ReadonlySet<string>>> = {};

export function initialize(given: HookData): void {
  data = given;
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
  const loaded = await nextLoad(url, context);
  const mutant = mutantOf(url);
  if (mutant === undefined) return loaded;
  const patches = (data.patches[mutant] ?? []).filter((patch) => patch.file === fileOf(url));
  const source = patches.reduce((text, patch) => patched(text, patch), textOf(loaded.source));
  return { ...loaded, source };
};

/** Where a module of a mutant is imported from. */
export function addressOf(url: string, mutant: string): string {
  return `${url.replace(/\?.*$/, "")}?mutant=${mutant}`;
}

/** Within the build, if it is of it. */
function fileOf(url: string): string {
  return url.startsWith(data.root) ? url.slice(data.root.length).replace(/\?.*$/, "") : "";
}

function mutantOf(url: string | undefined): string | undefined {
  return /\?mutant=([\w-]+)$/.exec(url ?? "")?.[1];
}

function textOf(source: string | ArrayBuffer | NodeJS.TypedArray | undefined): string {
  return typeof source === "string" ? source : new TextDecoder().decode(source);
}
