import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { RedisFleet } from "../../src/testing/index.js";
import { PATIENT } from "../support/patient.js";
import { fencesOf } from "./markdown.js";
import { pages, root } from "./project.js";

/** Where the package has its entries. */
const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, { readonly default: string }>>;
};

/** What pages take for granted. */
const globalsOf = (urls: readonly string[]): string => `
import { LockManager } from "${entryAt("quorate")}";
Object.assign(globalThis, {
  NODES: ${JSON.stringify(urls)},
  locks: new LockManager(${JSON.stringify(urls)}, ${JSON.stringify(PATIENT)}),
  signal: AbortSignal.timeout(1_000),
  connectTo: (address) => console.log("leader", address),
  warmCache: async () => console.log("warmed"),
});
`;

/** What they write, where no comment says it. */
const WRITTEN: Readonly<Record<string, RegExp>> = {
  "docs/how-to/election.md": /^leader undefined\n$/,
  "docs/how-to/recipes.md": /^warmed\n$/,
  "docs/how-to/several-names.md": /^\[ 'account:7', 'account:9' \] \d{16}\n$/,
};

/** Those that need what only their readers have, and those that another test runs. */
const ELSEWHERE: readonly (readonly [page: string, code: RegExp])[] = [
  ["README.md", /./], // package.test.ts
  ["docs/how-to/testing.md", /from "quorate\/testing"/], // testing-example.test.ts
  ["docs/how-to/transports.md", /transportChecks/], // examples/transports has tests of its own
  ["docs/operate/nodes.md", /ca\.pem/], // test/integration/tls.test.ts
];

/** For servers that are not at the addresses of the page, and for less patience. */
const CHANGES: readonly (readonly [from: string | RegExp, to: string])[] = [
  ["new Redis({ host })", "new Redis(host)"],
  [/\["a", "b", "c"\]/, "NODES"],
  [/\["redis:[^\]]*\]/, "NODES"],
  ["port: 3000", "port: 0"],
  ["AbortSignal.timeout(60_000)", "AbortSignal.timeout(1_000)"],
];

interface Shown {
  readonly page: string;
  readonly line: number;
  readonly code: string;
}

function shown(): readonly Shown[] {
  return pages
    .filter((page) => /^(?:README|docs\/(?!internals))/.test(page))
    .flatMap((page) => fencesOf(join(root, page)).map((fence) => ({ page, ...fence })))
    .filter(({ language, from }) => language === "ts" && from === undefined)
    .filter(({ page, code }) => !ELSEWHERE.some(([at, what]) => at === page && what.test(code)));
}

/** A program that ends when the code has come to its end, whatever would keep the process alive. */
function programOf(code: string): string {
  const changed = CHANGES.reduce((text, [from, to]) => text.replace(from, to), code).replaceAll(
    /from "(quorate[^"]*)"/g,
    (_, name: string) => `from "${entryAt(name)}"`,
  );
  return `import "./before.js";\n${changed}\nprocess.exit(0);\n`;
}

/** Compiled together with this file. */
function entryAt(name: string): string {
  const entry = exports[name.replace("quorate", ".")];
  if (entry === undefined) throw new Error(`the package does not export ${name}`);
  return new URL(entry.default.replace("./dist/", "../../src/"), import.meta.url).href;
}

describe("the code that pages show without an example", function () {
  this.timeout(240_000);
  let fleet: RedisFleet;
  let dir = "";

  before(async () => {
    fleet = await RedisFleet.start({ nodes: 3 });
    mkdirSync(join(root, ".tmp"), { recursive: true });
    dir = mkdtempSync(join(root, ".tmp", "shown-"));
    writeFileSync(join(dir, "package.json"), JSON.stringify({ type: "module" }));
    writeFileSync(join(dir, "before.js"), globalsOf(fleet.urls));
    const files = shown().map(({ code }, index) => {
      writeFileSync(join(dir, `shown-${index}.ts`), programOf(code));
      return join(dir, `shown-${index}.ts`);
    });
    const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
    const flags = "--target es2023 --module nodenext --noCheck --ignoreConfig --types node";
    const args = [tsc, ...flags.split(" "), "--experimentalDecorators", ...files];
    spawnSync(process.execPath, args, { cwd: dir });
  });
  after(async () => {
    rmSync(dir, { recursive: true, force: true });
    await fleet.stop();
  });

  shown().forEach(({ page, line, code }, index) => {
    it(`runs to its end, and writes what is said: ${page}:${line}`, () => {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [join(dir, `shown-${index}.js`)],
        { encoding: "utf8", timeout: 100_000 },
      );
      expect({ status, stderr }).to.deep.equal({ status: 0, stderr: "" });
      // What a comment behind a `console.log` says.
      const said = [...code.matchAll(/console\.log\(.*\); \/\/ (.+)$/gm)].map(([, text]) => text);
      const lines = stdout.split("\n").map((text) => text.replace(/^\[ (.*) \]$/, "[$1]"));
      expect(lines).to.include.members(said);
      expect(stdout).to.match(WRITTEN[page] ?? /^/);
    });
  });

  it("is not overlooked", () => {
    expect(shown().length).to.be.above(12);
  });
});
