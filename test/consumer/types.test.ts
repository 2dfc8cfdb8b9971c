import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { root } from "../docs/project.js";
import { packageDist } from "../support/package.js";

const NEWEST = join(root, "node_modules", "typescript");
/** The minimum that README.md states. */
const OLDEST = join(root, "test", "consumer", "typescript-5.4", "node_modules", "typescript");

const RESOLUTIONS: readonly (readonly [module: string, moduleResolution: string])[] = [
  ["node16", "node16"],
  ["nodenext", "nodenext"],
  ["esnext", "bundler"],
];

/** As strict as a compiler can be, and nothing left out. */
const STRICT = {
  strict: true,
  skipLibCheck: false,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noEmit: true,
  target: "es2022",
  lib: ["es2022", "esnext.disposable"],
  types: ["node"],
};

describe("The types of the package", function () {
  this.timeout(300_000);
  let dir: string;

  before(() => {
    // Inside of the project, so that what it depends on is found.
    mkdirSync(join(root, ".tmp"), { recursive: true });
    dir = mkdtempSync(join(root, ".tmp", "consumer-"));
    const installed = join(dir, "node_modules", "quorate");
    mkdirSync(installed, { recursive: true });
    cpSync(join(root, "package.json"), join(installed, "package.json"));
    cpSync(packageDist(), join(installed, "dist"), { recursive: true });
    const own = { name: "consumer", private: true, type: "module" };
    writeFileSync(join(dir, "package.json"), JSON.stringify(own));
    const source = readFileSync(join(root, "test", "consumer", "service.ts"), "utf8");
    writeFileSync(join(dir, "service.ts"), asConsumer(source));
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  async function errorsOf(
    compiler: string,
    module: string,
    moduleResolution: string,
  ): Promise<string> {
    const config = join(dir, `tsconfig.${module}.json`);
    const compilerOptions = { ...STRICT, module, moduleResolution };
    writeFileSync(config, JSON.stringify({ compilerOptions, files: ["service.ts"] }));
    return compile(compiler, ["-p", config]);
  }

  for (const [module, moduleResolution] of RESOLUTIONS) {
    it(`compile with the newest TypeScript, module resolution ${moduleResolution}`, async () => {
      expect(await errorsOf(NEWEST, module, moduleResolution)).to.equal("");
    });
  }

  it("compile with the oldest TypeScript", async () => {
    expect(await errorsOf(OLDEST, "nodenext", "nodenext")).to.equal("");
  });

  it("would be found out if one did not", async () => {
    const broken = join(dir, "node_modules", "quorate", "dist", "api", "events.d.ts");
    const before = readFileSync(broken, "utf8");
    writeFileSync(broken, `${before}\nexport type Broken = AsyncIterableIterator<1, 2, 3, 4>;\n`);
    const errors = await errorsOf(NEWEST, "nodenext", "nodenext");
    writeFileSync(broken, before);
    expect(errors).to.match(/^node_modules\/quorate\/dist\/api\/events\.d\.ts.*error TS2/);
  });

  it("compile with the minimum that README.md states", () => {
    const { version } = JSON.parse(readFileSync(join(OLDEST, "package.json"), "utf8")) as {
      version: string;
    };
    const minor = version.replace(/\.\d+$/, "");
    expect(readFileSync(join(root, "README.md"), "utf8")).to.include(
      `TypeScript ${minor} or later`,
    );
  });
});

/** With the imports of a program that has installed the package. */
function asConsumer(source: string): string {
  return source
    .replaceAll("../../src/index.js", "quorate")
    .replaceAll(/\.\.\/\.\.\/src\/(?:integrations\/)?(\w+)\/index\.js/g, "quorate/$1");
}

/** What the compiler finds; empty if that is nothing. */
async function compile(compiler: string, args: readonly string[]): Promise<string> {
  const tsc = join(compiler, "bin", "tsc");
  const child = spawn(process.execPath, [tsc, ...args, "--pretty", "false"], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  const output = await text(child.stdout);
  const [code] = (await ended) as [number | null];
  // A compiler that cannot be started finds nothing either.
  if (code !== 0 && output === "") throw new Error(`${tsc} failed: exit code ${code}`);
  // Paths differ from run to run.
  return output.replaceAll(/^.*(?=node_modules\/quorate)/gm, "").trim();
}
