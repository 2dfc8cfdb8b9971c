declare module "liblua5.1.wasm" {
  /** Compressed by gzip. */
  const bytes: Uint8Array<ArrayBuffer>;
  export default bytes;
}
