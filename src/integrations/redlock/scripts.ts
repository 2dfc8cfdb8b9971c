import { BATCH_SCRIPT, BATCH_SHA } from "../../script/batch-script.js";
import { show } from "../../runtime/validate.js";

type ScriptOption = string | ((script: string) => string);

export interface ScriptOptions {
  readonly acquireScript?: ScriptOption;
  readonly extendScript?: ScriptOption;
  readonly releaseScript?: ScriptOption;
}

interface Script {
  readonly value: string;
  readonly hash: string;
}

export interface Scripts {
  readonly acquireScript: Script;
  readonly extendScript: Script;
  readonly releaseScript: Script;
}

/** There is one script for all operations. */
const SCRIPT: Script = Object.freeze({ value: BATCH_SCRIPT, hash: BATCH_SHA });

/** @throws TypeError for a custom script */
export function scriptsFor(given: ScriptOptions): Scripts {
  for (const [name, script] of Object.entries(given)) {
    if (script === undefined) continue;
    throw new TypeError(`\`scripts.${name}\` is not supported, got ${show(script)}`);
  }
  return { acquireScript: SCRIPT, extendScript: SCRIPT, releaseScript: SCRIPT };
}
