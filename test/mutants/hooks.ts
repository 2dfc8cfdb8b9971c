import type { LoadHook, ResolveHook } from "node:module";
import type { Patch } from "./mutant.js";
import { patched } from "./patched.js";

/**
 * Module hooks: whatever is imported from a module of a mutant is a module of that mutant. So one
 * process can hold the unchanged build and any number of mutants beside each other.
 */

export interface HookData {
  /** Address of the build, with a slash at the end. */
  readonly root: string;
  readonly patches: Readonly<Record<string, readonly Patch[]>>;
}

let data: HookData = { root: "", patches: {} };

export function initialize(given: HookData): void {
  data = given;
}

export const resolve: ResolveHook = async (specifier, context, nextResolve) => {
  const resolved = await nextResolve(specifier, context);
  const mutant = mutantOf(context.parentURL);
  const isOurs = mutant !== undefined && resolved.url.startsWith(data.root);
  return isOurs ? { ...resolved, url: addressOf(resolved.url, mutant) } : resolved;
};

export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  const mutant = mutantOf(url);
  if (mutant === undefined) return loaded;
  const file = url.slice(data.root.length).replace(/\?.*$/, "");
  const patches = (data.patches[mutant] ?? []).filter((patch) => patch.file === file);
  const source = patches.reduce((text, patch) => patched(text, patch), textOf(loaded.source));
  return { ...loaded, source };
};

/** Where a module of a mutant is imported from. */
export function addressOf(url: string, mutant: string): string {
  return `${url.replace(/\?.*$/, "")}?mutant=${mutant}`;
}

function mutantOf(url: string | undefined): string | undefined {
  return /\?mutant=([\w-]+)$/.exec(url ?? "")?.[1];
}

function textOf(source: string | ArrayBuffer | NodeJS.TypedArray | undefined): string {
  return typeof source === "string" ? source : new TextDecoder().decode(source);
}
