import { expect } from "chai";
import { build } from "esbuild";
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type * as Errors from "../../src/memory/errors.js";
import type * as Memory from "../../src/memory/memory-redis.js";

/** Where no packages are. */
async function elsewhere(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "quorate-memory-"));
  await cp(fileURLToPath(new URL("../../src/memory", import.meta.url)), path, { recursive: true });
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

describe("a Redis in memory where no Lua VM is installed", () => {
  it("runs commands, and says at the first script what to install", async () => {
    await using copy = await elsewhere();
    const hrefOf = (file: string): string => pathToFileURL(join(copy.path, file)).href;
    const { MemoryRedis } = (await import(hrefOf("memory-redis.js"))) as typeof Memory;
    const { LuaMissingError } = (await import(hrefOf("errors.js"))) as typeof Errors;
    const redis = new MemoryRedis();
    expect(redis.execute(["EXISTS", "k"])).to.equal(0);
    expect(() => redis.execute(["EVAL", "return 1", "0"]))
      .to.throw(LuaMissingError, /npm install --save-dev wasmoon-lua5\.1@1\.18$/)
      .with.property("code", "LUA_MISSING");
  });
});

describe("a Redis in memory in a program that is no file", () => {
  const { href } = new URL("../../src/memory/memory-redis.js", import.meta.url);
  const text = `import("${href}").then((m) => console.log(new m.MemoryRedis().execute(["EVAL", "return 7", "0"])))`;
  for (const { title, args } of [
    { title: "`node -e`", args: ["-e", text] },
    { title: "`node --input-type=module -e`", args: ["--input-type=module", "-e", text] },
    {
      title: "a worker from a text",
      args: [
        "-e",
        `new (require("worker_threads").Worker)(${JSON.stringify(text)}, { eval: true })`,
      ],
    },
  ]) {
    it(`finds the installed Lua VM from ${title}`, async () => {
      const { stdout } = await promisify(execFile)(process.execPath, args);
      expect(stdout).to.equal("7\n");
    });
  }
});

describe("a Redis in memory in a bundle", () => {
  for (const format of ["cjs", "esm"] as const) {
    it(`finds the installed Lua VM from ${format}`, async () => {
      const entry = fileURLToPath(new URL("../../src/memory/memory-redis.js", import.meta.url));
      // Beside the packages.
      const outfile = fileURLToPath(
        new URL(`../../bundled-memory.${format === "cjs" ? "cjs" : "mjs"}`, import.meta.url),
      );
      try {
        await build({
          ...{ entryPoints: [entry], outfile, format, bundle: true, platform: "node" },
          ...{ packages: "external", logLevel: "silent" },
        });
        const { MemoryRedis } = (
          format === "cjs"
            ? createRequire(outfile)(outfile)
            : await import(pathToFileURL(outfile).href)
        ) as typeof Memory;
        expect(new MemoryRedis().execute(["EVAL", "return 1", "0"])).to.equal(1);
      } finally {
        await rm(outfile, { force: true });
      }
    });
  }
});
