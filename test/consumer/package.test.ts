import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect } from "chai";
import { buildSync } from "esbuild";
import { root } from "../docs/project.js";
import { packageDist } from "../support/package.js";

interface Manifest {
  readonly files: readonly string[];
  readonly exports: Readonly<Record<string, string | { types: string; default: string }>>;
}

/** Beside what npm adds by itself. */
const MAX_FILE_COUNT = 300;

describe("The package", function () {
  this.timeout(300_000);
  const text = readFileSync(join(root, "package.json"), "utf8");
  const { exports, files: packed } = JSON.parse(text) as Manifest;
  const entries = Object.values(exports).filter((entry) => typeof entry !== "string");
  let out: string;
  let files: readonly string[];

  before(() => {
    out = packageDist();
    files = readdirSync(out, { recursive: true, encoding: "utf8" }).filter((name) => {
      return /\.\w+$/.test(name);
    });
  });

  const codeOf = (name: string): string => readFileSync(join(out, name), "utf8");
  const scripts = (): readonly string[] => files.filter((name) => /\.m?js$/.test(name));
  const inOut = (file: string): string => join(out, file.replace(/^\.\/dist\//, ""));

  it("has all that its exports promise", async () => {
    expect(entries).to.have.length.above(2);
    for (const entry of entries) {
      expect(existsSync(inOut(entry.types)), entry.types).to.equal(true);
      const names = Object.keys((await import(pathToFileURL(inOut(entry.default)).href)) as object);
      expect(names, entry.default).to.have.length.above(0);
    }
  });

  it("loads the package of a framework only where that is asked for", () => {
    const FRAMEWORKS = ["@nestjs/common", "fastify", "node-cron"];
    /** What an entry loads, itself and its chunks, at once or later. */
    const packagesOf = (file: string, seen = new Set<string>()): string[] => {
      if (seen.has(file)) return [];
      seen.add(file);
      const imported = [...codeOf(file).matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)];
      return imported.flatMap(([, from = ""]) =>
        from.startsWith(".") ? packagesOf(join(dirname(file), from), seen) : [from],
      );
    };
    const loaded = Object.entries(exports).flatMap(([entry, given]) => {
      if (typeof given === "string") return [];
      const all = packagesOf(given.default.replace(/^\.\/dist\//, ""));
      return FRAMEWORKS.filter((name) => all.includes(name)).map((name) => `${entry}: ${name}`);
    });
    // A plugin of Fastify needs only its types.
    expect(loaded).to.deep.equal(["./nestjs: @nestjs/common"]);
    expect(packagesOf("index.js")).to.include("ioredis");
  });

  it("has each class once, however many entries share it", () => {
    // The program is one file by itself, which nobody imports.
    const makers = scripts()
      .filter((name) => !name.startsWith("cli"))
      .filter((name) => /\bclass QuorateError\b|QuorateError = class/.test(codeOf(name)));
    expect(makers).to.have.length(1);
  });

  it("has few files to find and read at the start of a program", () => {
    /** Our files that an entry loads. */
    const filesOf = (file: string, seen = new Set<string>()): Set<string> => {
      if (seen.has(file)) return seen;
      seen.add(file);
      for (const [, from = ""] of codeOf(file).matchAll(/(?:from|import)\s*"(\.[^"]+)"/g)) {
        filesOf(join(dirname(file), from), seen);
      }
      return seen;
    };
    const counts = entries.flatMap((entry) => {
      return typeof entry === "string"
        ? []
        : [filesOf(entry.default.replace(/^\.\/dist\//, "")).size];
    });
    expect(Math.max(...counts)).to.be.within(2, 5);
  });

  it("starts no program, and reads no file, that is not in it", () => {
    let count = 0;
    for (const name of scripts()) {
      for (const [, path = ""] of codeOf(name).matchAll(
        /new URL\("(\.[^"]+)",\s*import\.meta\.url\)/g,
      )) {
        count++;
        const file = fileURLToPath(new URL(path, pathToFileURL(join(out, name))));
        expect(existsSync(file), `${path} of ${name}`).to.equal(true);
      }
    }
    expect(count).to.be.above(0);
  });

  // As docs/explain/faq.md says. ioredis calls `require` for what Node.js has, which an ES module lacks.
  for (const [how, format, external, works] of [
    ["as CommonJS", "cjs", [], true],
    ["as an ES module without ioredis", "esm", ["ioredis"], true],
    ["as an ES module with ioredis", "esm", [], false],
  ] as const) {
    it(`can${works ? "" : "not"} be bundled by esbuild ${how}`, () => {
      const { outputFiles } = buildSync({
        stdin: {
          contents: `import { LockManager } from "./index.js"; console.log(typeof LockManager);`,
          resolveDir: out,
        },
        ...{ bundle: true, platform: "node", format, external: [...external] },
        write: false,
        // Where the package is installed, its dependencies are beside it.
        nodePaths: [join(root, "node_modules")],
      });
      const type = format === "cjs" ? "commonjs" : "module";
      const { stdout, stderr } = spawnSync(process.execPath, [`--input-type=${type}`], {
        ...{ input: outputFiles[0]?.text ?? "", cwd: root, encoding: "utf8" },
      });
      expect(stdout).to.equal(works ? "function\n" : "");
      expect(stderr).to.match(works ? /^$/ : /Dynamic require of "events" is not supported/);
    });
  }

  it("has nothing of the program in what is imported", () => {
    const others = scripts().filter((name) => !name.startsWith("cli"));
    expect(others.filter((name) => codeOf(name).includes("QUORATE_NODES"))).to.deep.equal([]);
    expect(codeOf("cli/quorate.mjs")).to.include("QUORATE_NODES");
  });

  it("has a program that needs no other package, and the licenses of those inside", () => {
    const dir = mkdtempSync(join(tmpdir(), "quorate-program-"));
    try {
      const file = join(dir, "quorate.mjs");
      copyFileSync(join(out, "cli", "quorate.mjs"), file);
      const args = ["inspect", "x", "--json", "--nodes", "redis://127.0.0.1:1"];
      const { status, stdout, stderr } = spawnSync(file, args, { encoding: "utf8" });
      expect({ status, stderr }).to.deep.equal({ status: 69, stderr: "" });
      expect(JSON.parse(stdout)).to.include({ name: "x", state: "undecided" });
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
    expect(codeOf("cli/LICENSES.txt")).to.match(/^ioredis \d[^]*Permission is hereby granted/m);
  });

  it("has no maps, nor words of any, and not too many files", () => {
    expect(files.filter((name) => name.endsWith(".map"))).to.deep.equal([]);
    for (const name of files) expect(codeOf(name), name).to.not.include("sourceMappingURL");
    const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" });
    const isShipped = (path: string): boolean => {
      return !packed.some((given) => `!docs/${path}/`.startsWith(`${given}/`));
    };
    expect(files.length + docs.filter(isShipped).length).to.be.below(MAX_FILE_COUNT);
  });
});
