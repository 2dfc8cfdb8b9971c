import { sha1Of } from "./bytes.js";
import { luaVm, type CompiledScript } from "./lua/lua-vm.js";
import { RedisError } from "./errors.js";

const compiled = new Map<string, { readonly sha: string; readonly script: CompiledScript }>();

/** Compiled once per process, however many servers run it. @throws RedisError @throws LuaMissingError */
function compile(source: string): { readonly sha: string; readonly script: CompiledScript } {
  let found = compiled.get(source);
  if (found === undefined) {
    const script = luaVm().compile(source);
    found = { sha: sha1Of(source), script };
    compiled.set(source, found);
  }
  return found;
}

/** The scripts that one server knows. */
export class ScriptCache {
  readonly #bySha = new Map<string, CompiledScript>();

  /** @throws RedisError if it is not valid Lua @throws LuaMissingError */
  load(source: string): { readonly sha: string; readonly script: CompiledScript } {
    const found = compile(source);
    this.#bySha.set(found.sha, found.script);
    return found;
  }

  /** @throws RedisError if it is not known */
  bySha(sha: string): CompiledScript {
    const found = this.#bySha.get(sha.toLowerCase());
    if (found !== undefined) return found;
    throw new RedisError("NOSCRIPT No matching script. Please use EVAL.");
  }

  flush(): void {
    this.#bySha.clear();
  }
}
