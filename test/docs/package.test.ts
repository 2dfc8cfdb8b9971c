import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { findRedisBinary } from "../../src/testing/redis-binary.js";
import { environment } from "../support/cli.js";
import { freePorts } from "../support/free-ports.js";
import { packInto } from "../support/packed.js";
import { anchorsOf, fencesOf, linksOf } from "./markdown.js";
import { root } from "./project.js";

/** Of a page, what its links lead to that is not there. */
function deadLinksOf(page: string): string[] {
  return linksOf(page)
    .filter((link) => !/^https?:/.test(link))
    .filter((link) => {
      const [path = "", anchor] = link.split("#");
      const file = path === "" ? page : join(dirname(page), path);
      if (!existsSync(file)) return true;
      return anchor !== undefined && file.endsWith(".md") && !anchorsOf(file).includes(anchor);
    });
}

/** The programs of docs/start/getting-started.md, and what they write. */
const FIRST: Readonly<Record<string, RegExp>> = {
  request: /^2 rows\n$/,
  acquire: /^held, token \d{16}, \d{4} ms left\n$/,
  "try-acquire": /^it is ours\nreleased\n$/,
};

describe("the packed package, in an empty folder", function () {
  this.timeout(300_000);
  let dir = "";
  let ports: readonly number[] = [];
  let env: NodeJS.ProcessEnv = {};
  let servers = "";
  const own = (text: string): string =>
    ports.reduce<string>((all, port, at) => all.replaceAll(`700${at + 1}`, String(port)), text);
  const run = (file: string): { readonly stdout: string; readonly stderr: string } => {
    const how = { cwd: dir, env, encoding: "utf8", timeout: 60_000 } as const;
    const { stdout, stderr } = spawnSync(process.execPath, [file], how);
    return { stdout, stderr };
  };
  const installed = (...path: readonly string[]): string =>
    join(dir, "node_modules", "quorate", ...path);

  before(async () => {
    // Inside of the project, so that its compiler finds the types of what the examples use beside the package.
    mkdirSync(join(root, ".tmp"), { recursive: true });
    dir = mkdtempSync(join(root, ".tmp", "packed-"));
    const tarball = packInto(mkdtempSync(join(tmpdir(), "quorate-pack-")));
    writeFileSync(join(dir, "package.json"), '{ "type": "module", "private": true }\n');
    execFileSync("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", tarball], {
      ...{ cwd: dir, stdio: "ignore" },
    });
    rmSync(dirname(tarball), { recursive: true });
    ports = await freePorts(3);
    const bin = join(dir, "bin");
    mkdirSync(bin);
    symlinkSync(findRedisBinary(), join(bin, "redis-server"));
    env = environment({ PATH: `${bin}:${process.env["PATH"]}` });
    const readme = readFileSync(installed("README.md"), "utf8");
    servers = /^Without Docker: `(.+)`$/m.exec(readme)?.[1] ?? "";
    execFileSync("bash", ["-c", own(servers)], { cwd: dir, env, stdio: "ignore" });
  });
  after(() => {
    const end = (port: number): string =>
      `exec 3<>/dev/tcp/127.0.0.1/${port}; echo SHUTDOWN NOSAVE >&3; cat <&3`;
    for (const port of ports) spawnSync("bash", ["-c", end(port)]);
    rmSync(dir, { recursive: true, force: true });
  });

  it("has what its pages link to, and their anchors", () => {
    const pages = readdirSync(installed(), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md") && !name.includes("node_modules"))
      .toSorted();
    expect(pages).to.include.members(["README.md", "docs/operate/troubleshooting.md"]);
    const dead = pages.flatMap((page) =>
      deadLinksOf(installed(page)).map((link) => `${page}: ${link}`),
    );
    expect(dead).to.deep.equal([]);
    // Would be found: the package has no sources.
    writeFileSync(installed("new.md"), "[a](src/index.ts), [b](README.md#no), [c](LICENSE)\n");
    expect(deadLinksOf(installed("new.md"))).to.deep.equal(["src/index.ts", "README.md#no"]);
    rmSync(installed("new.md"));
  });

  it("does what the README says, with the servers that it starts", () => {
    expect(servers).to.include("redis-server --port");
    const [program] = fencesOf(installed("README.md")).filter(({ language }) => language === "ts");
    writeFileSync(join(dir, "lock.mjs"), own(program?.code ?? ""));
    expect(run("lock.mjs")).to.deep.equal({ stdout: "2 rows\n", stderr: "" });
  });

  it("has examples that compile against its types under strict, and those of the first pages run", () => {
    const names = readdirSync(installed("examples")).filter((name) => name.endsWith(".ts"));
    expect(names.length).to.be.above(25);
    mkdirSync(join(dir, "examples"));
    for (const name of names) {
      const text = readFileSync(installed("examples", name), "utf8")
        .replaceAll('"../src/index.js"', '"quorate"')
        .replaceAll(/"\.\.\/src\/(\w+)\/index\.js"/g, '"quorate/$1"');
      // One that starts another program of its folder is not for pasting.
      if (!/from "\.\.?\//.test(text)) writeFileSync(join(dir, "examples", name), own(text));
    }
    const compilerOptions = {
      ...{ strict: true, outDir: "out", rootDir: ".", skipLibCheck: true, target: "es2023" },
      ...{ module: "nodenext", lib: ["es2023", "esnext.disposable"], types: ["node"] },
    };
    writeFileSync(
      join(dir, "tsconfig.json"),
      JSON.stringify({ compilerOptions, include: ["examples"] }),
    );
    const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
    const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", dir], { encoding: "utf8" });
    expect(status, stdout).to.equal(0);
    expect(readdirSync(join(dir, "out", "examples")).length).to.be.above(25);
    for (const [name, output] of Object.entries(FIRST)) {
      const { stdout, stderr } = run(join("out", "examples", `${name}.js`));
      expect(stderr, name).to.equal("");
      expect(stdout, name).to.match(output);
    }
  });
});
