declare module "liblua5.1.wasm" {
  /** Lua 5.1, as esbuild inlines it. */
  const bytes: Uint8Array<ArrayBuffer>;
  export default bytes;
}
