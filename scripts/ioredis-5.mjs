// Used with --import: makes `import "ioredis"` load ioredis 5, so that the compiled tests run
// against both supported major versions.
import { register } from "node:module";

const hook = `
export function resolve(specifier, context, next) {
  return next(specifier === "ioredis" ? "ioredis-5" : specifier, context);
}`;

register(`data:text/javascript,${encodeURIComponent(hook)}`, import.meta.url);
