import lua from "liblua5.1.wasm";

/** The only file that is ever read: Lua 5.1, inlined. */
export const readFileSync = (): Uint8Array => lua;
export const createRequire = () => ({ resolve: (): string => "" });
export const dirname = (): string => "";
export const join = (): string => "";
