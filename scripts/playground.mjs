// npm run playground: the simulator in a web page. Writes one self-contained HTML file.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { embedLua } from "./embed-lua.mjs";
import { ensurePackages } from "./ensure-packages.mjs";
import { parseArguments } from "./parse-arguments.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, "site", "playground");
const DEFAULT_OUT = join(root, "site", "dist", "playground.html");

const USAGE = `npm run playground [-- --out FILE]

Writes the playground as one HTML file, by default site/dist/playground.html.`;

/** Browser replacements of the Node.js modules that the library uses. Any other one is an error. */
const SHIMS = {
  "node:async_hooks": "async-hooks",
  "node:crypto": "crypto",
  "node:diagnostics_channel": "diagnostics-channel",
  "node:events": "events",
  "node:fs": "lua-file",
  "node:module": "lua-file",
  "node:net": "net",
  "node:os": "os",
  "node:path": "lua-file",
  "node:util": "util",
  ioredis: "ioredis",
};

const shims = {
  name: "shims",
  setup({ onResolve }) {
    onResolve({ filter: /^(node:.*|ioredis)$/ }, ({ path, importer }) => {
      const shim = SHIMS[path];
      if (shim === undefined) {
        return { errors: [{ text: `${importer} needs ${path}, which browsers have not` }] };
      }
      return { path: join(source, "shims", `${shim}.ts`) };
    });
    onResolve({ filter: /^liblua5\.1\.wasm$/ }, () => {
      const lua = createRequire(import.meta.url).resolve("wasmoon-lua5.1");
      return { path: join(dirname(lua), "liblua5.1.wasm") };
    });
  },
};

/** Runs in the page: browsers decompress by themselves. */
async function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed), (char) => char.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = document.createElement("script");
  script.textContent = await new Response(plain).text();
  document.body.append(script);
}

/** The page as a string. */
export async function playgroundPage() {
  ensurePackages();
  embedLua();
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [join(source, "page", "main.ts")],
    inject: [join(source, "shims", "globals.ts")],
    bundle: true,
    format: "esm",
    define: { "import.meta.url": '""' },
    platform: "browser",
    target: "es2023",
    minify: true,
    legalComments: "none",
    charset: "utf8",
    plugins: [shims],
    loader: { ".wasm": "binary" },
    write: false,
    logLevel: "warning",
  });
  const read = (name) => readFileSync(join(source, "page", name), "utf8");
  // It waits for the Lua VM, and browsers take no module from the disk.
  const script = `(async () => {${new TextDecoder().decode(outputFiles[0].contents)}})();`;
  const packed = gzipSync(script, { level: 9 }).toString("base64");
  const icon = encodeURIComponent(readFileSync(join(root, "site", "icon.svg"), "utf8").trim());
  const parts = {
    "/*css*/": read("page.css"),
    "/*icon*/": `data:image/svg+xml,${icon}`,
    "/*script*/": `(${unpack.toString()})("${packed}")`,
  };
  return read("page.html").replaceAll(/\/\*(?:css|icon|script)\*\//g, (mark) => parts[mark]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { out } = parseArguments(USAGE, { out: { type: "string", default: DEFAULT_OUT } });
  const file = resolve(out);
  const page = await playgroundPage();
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, page);
  console.log(`${file} (${Math.round(Buffer.byteLength(page) / 1_000)} kB)`);
}
