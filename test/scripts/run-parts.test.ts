import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { root } from "../docs/project.js";

describe("the parts of the tests", function () {
  this.timeout(60_000);
  let dir: string;

  before(() => (dir = mkdtempSync(join(tmpdir(), "quorate-parts-"))));
  after(() => rmSync(dir, { recursive: true, force: true }));

  /** What the program prints, which is given what the script exports. */
  function printed(script: string, name: string, program: string, env = {}): string {
    const file = pathToFileURL(join(root, "scripts", script)).href;
    const code = `import { ${name} } from ${JSON.stringify(file)};\n${program}`;
    return execFileSync(process.execPath, ["--input-type=module", "-e", code], {
      env: { ...process.env, ...env },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  it("run each on its own server, and are counted together", () => {
    const spec = join(dir, "some.test.cjs");
    writeFileSync(
      spec,
      `it("says where it runs", () => console.log("on", process.env.QUORATE_REDIS_SERVER));
       it("is not on another", function () {
         if (process.env.QUORATE_REDIS_SERVER === "mine") throw new Error("on mine");
       });`,
    );
    const parts = [
      { title: "usual", spec: [spec] },
      { title: "other", spec: [spec], server: "other" },
    ];
    const run = JSON.stringify({ root, args: [] });
    const output = printed(
      "run-parts.mjs",
      "runParts",
      `console.log(JSON.stringify(await runParts(${JSON.stringify(parts)}, ${run})));`,
      { QUORATE_REDIS_SERVER: "mine" },
    );
    expect(output).to.match(/^usual \(\d+ s\)\n(?:.*\n)*?on mine$/m);
    expect(output).to.match(/^other \(\d+ s\)\n(?:.*\n)*?on other$/m);
    const { failing, ...counts } = JSON.parse(output.trim().split("\n").at(-1) ?? "") as {
      failing: readonly string[];
    };
    expect(counts).to.deep.equal({ passed: 3, failed: 1, skipped: 0 });
    expect(failing).to.have.length(1);
    expect(failing[0]).to.include("on mine");
  });

  it("get what some of them need while the others run", () => {
    const spec = join(dir, "one.test.cjs");
    writeFileSync(spec, `it("is one", () => {});`);
    const part = (title: string): string => JSON.stringify({ title, spec: [spec] });
    const output = printed(
      "run-parts.mjs",
      "runParts",
      `const more = async () => (console.log("getting"), [${part("got")}]);
       const run = { root: ${JSON.stringify(root)}, args: [], more };
       console.log((await runParts([${part("first")}], run)).passed);
       console.log((await runParts([], run)).passed);`,
    );
    const said = output.match(/^(?:\w+(?= \(\d+ s\)$)|getting$|\d+$)/gm) ?? [];
    expect(said.slice(1, 3).toSorted()).to.deep.equal(["first", "got"]);
    expect([said[0], ...said.slice(3)]).to.deep.equal(["getting", "2", "getting", "got", "1"]);
  });

  const newest = (env: Readonly<Record<string, string>>): unknown =>
    JSON.parse(
      printed(
        "newest-servers.mjs",
        "newestServers",
        "console.log(JSON.stringify(await newestServers()));",
        env,
      ),
    );

  it("count each of the newest servers that cannot be had as skipped, where they are wanted", () => {
    const env = { XDG_CACHE_HOME: join(dir, "cache"), QUORATE_SERVERS_MIRROR: dir };
    const none = { passed: 0, failed: 0, skipped: 0, failing: [] };
    expect(newest({ ...env, QUORATE_SERVERS: "fetch" })).to.deep.equal({
      parts: [],
      counts: { ...none, skipped: 2 },
    });
    expect(newest({ ...env, QUORATE_SERVERS: "" })).to.deep.equal({ parts: [], counts: none });
  });

  it("show what a node does, on the newest servers", () => {
    const cache = join(dir, "kept");
    const paths = ["redis-8.6/redis-server", "valkey-9.1/valkey-server"].map((path) =>
      join(cache, "quorate", "servers", path),
    );
    for (const path of paths) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "", { mode: 0o755 });
    }
    const found = newest({ XDG_CACHE_HOME: cache, QUORATE_SERVERS: "fetch" }) as {
      parts: readonly { readonly spec: readonly string[]; readonly server: string }[];
    };
    expect(found.parts.map(({ server }) => server)).to.deep.equal(paths);
    for (const { spec } of found.parts)
      expect(spec).to.deep.equal(["build/test/conformance/**/*.test.js"]);
  });
});
