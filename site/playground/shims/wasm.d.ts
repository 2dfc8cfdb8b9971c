declare module "liblua5.1.wasm" {
  const bytes: Uint8Array;
  export default bytes;
}
