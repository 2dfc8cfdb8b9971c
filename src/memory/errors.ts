/** A server's error reply: a code in capitals, a space, and a text. */
export class RedisError extends Error {
  override readonly name = "RedisError";
}

/**
 * The in-memory Redis runs the same scripts as a server, in a Lua VM that is an optional dependency:
 * it is not installed, or in a version that does not fit.
 */
export class LuaMissingError extends Error {
  override readonly name = "LuaMissingError";
  readonly code = "LUA_MISSING";

  constructor(why: string, options?: ErrorOptions) {
    const how = "npm install --save-dev wasmoon-lua5.1@1.18";
    super(`the in-memory Redis needs the package wasmoon-lua5.1: ${why}; install it with: ${how}`, {
      ...options,
    });
  }
}
