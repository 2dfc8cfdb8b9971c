import { BATCH_SCRIPT, BATCH_SHA } from "../../script/batch-script.js";
import { show } from "../../runtime/validate.js";

type Name = "acquireScript" | "extendScript" | "releaseScript";

export type ScriptOptions = { readonly [name in Name]?: string | ((script: string) => string) };

export type Scripts = {
  readonly [name in Name]: { readonly value: string; readonly hash: string };
};

/** There is one script for all operations. */
const SCRIPT = Object.freeze({ value: BATCH_SCRIPT, hash: BATCH_SHA });

/** @throws TypeError for a custom script */
export function scriptsFor(given: ScriptOptions): Scripts {
  for (const [name, script] of Object.entries(given)) {
    if (script === undefined) continue;
    throw new TypeError(`\`scripts.${name}\` is not supported, got ${show(script)}`);
  }
  return { acquireScript: SCRIPT, extendScript: SCRIPT, releaseScript: SCRIPT };
}
