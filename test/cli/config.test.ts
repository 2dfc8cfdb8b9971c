import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { loadSettings, type Settings } from "../../src/cli/config.js";
import type { Call } from "../../src/cli/command.js";
import { Output } from "../../src/cli/output.js";
import { callCli } from "../support/cli.js";
import { rejectionOf } from "../support/settle.js";

const URLS = ["redis://a:1", "redis://b:2", "redis://c:3"];

describe("Nodes and options of the command line", () => {
  const cwd = process.cwd();
  let dir: string;
  let notes: string;
  let server: Server;
  let connections = 0;
  let url: string;

  const load = (env: Call["env"] = {}, globals: Call["globals"] = {}): Promise<Settings> => {
    const stream = { write: (text: string) => (notes += text) } as unknown as NodeJS.WritableStream;
    const manner = { isJson: false, isQuiet: false, isVerbose: false };
    return loadSettings({
      env,
      globals,
      output: new Output(manner, { stdout: stream, stderr: stream }),
    });
  };
  const file = (name: string, content: string): string => {
    const path = join(dir, name);
    writeFileSync(path, content);
    return path;
  };

  before(async () => {
    server = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => new Promise((resolve) => server.close(resolve)));
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "quorate-cli-"));
    mkdirSync(join(dir, "work"));
    process.chdir(join(dir, "work"));
    notes = "";
    connections = 0;
  });
  afterEach(() => {
    process.chdir(cwd);
    rmSync(dir, { recursive: true, force: true });
  });

  it("come from --nodes before QUORATE_NODES before the file", async () => {
    const path = file("c.json", JSON.stringify({ nodes: ["redis://file:1"], ttlMs: 5_000 }));
    const env = { QUORATE_NODES: URLS.join(", "), QUORATE_CONFIG: path };
    expect((await load({ QUORATE_CONFIG: path })).nodes).to.deep.equal(["redis://file:1"]);
    expect((await load(env)).nodes).to.deep.equal(URLS);
    expect((await load(env, { nodes: ["redis://flag:1"] })).nodes).to.deep.equal([
      "redis://flag:1",
    ]);
    expect((await load(env)).options).to.deep.equal({ ttlMs: 5_000 });
  });

  it("need no working directory, unless a file is named relative to it", async () => {
    rmSync(join(dir, "work"), { recursive: true });
    const env = { QUORATE_NODES: URLS.join(",") };
    expect((await load(env)).nodes).to.deep.equal(URLS);
    expect(await rejectionOf(load({ ...env, QUORATE_CONFIG: "c.json" }))).to.match(
      /^ConfigError: cannot read c\.json: ENOENT/,
    );
    const path = file("c.json", JSON.stringify({ nodes: ["redis://file:1"] }));
    expect((await load({ QUORATE_CONFIG: path })).nodes).to.deep.equal(["redis://file:1"]);
  });

  it("come from a module too, and from a file that lies there", async () => {
    writeFileSync("quorate.config.mjs", `export default { nodes: [${JSON.stringify(URLS[0])}] };`);
    expect((await load()).nodes).to.deep.equal([URLS[0]]);
    writeFileSync("quorate.config.json", JSON.stringify({ nodes: URLS }));
    expect((await load()).nodes).to.deep.equal(URLS);
    const named = file("named.json", JSON.stringify({ nodes: ["redis://named:1"] }));
    expect((await load({}, { config: named })).nodes).to.deep.equal(["redis://named:1"]);
  });

  it("take credentials of the environment where a node has none", async () => {
    const password = file("password", "s3cret\n");
    const own = { url: "redis://d:4", options: { password: "own" } };
    const path = file(
      "c.json",
      JSON.stringify({ nodes: [URLS[0], "redis://x:y@b:2", { url: URLS[2] }, own] }),
    );
    const options = { username: "app", password: "s3cret" };
    const env = { QUORATE_CONFIG: path, QUORATE_USERNAME: "app", QUORATE_PASSWORD_FILE: password };
    expect((await load(env)).nodes).to.deep.equal([
      { url: URLS[0], options },
      "redis://x:y@b:2",
      { url: URLS[2], options },
      own,
    ]);
    const unset = await load({ ...env, QUORATE_PASSWORD: "" });
    expect(unset.nodes[0], "an empty variable").to.deep.equal({ url: URLS[0], options });
    const other = await load({ ...env, QUORATE_PASSWORD: "other" });
    expect(other.nodes[0]).to.deep.equal({
      url: URLS[0],
      options: { ...options, password: "other" },
    });
  });

  for (const [content, password] of [
    ["pw\n", "pw"],
    ["pw\r\n", "pw"],
    ["pw", "pw"],
    ["pw\n\n", "pw\n"],
    [" pw \n", " pw "],
    ["pw \r\n", "pw "],
    ["p w\t\n", "p w\t"],
    ["0\n", "0"],
  ] as const) {
    it(`take a password from a file as it is: ${JSON.stringify(content)}`, async () => {
      const env = { QUORATE_NODES: URLS[0], QUORATE_PASSWORD_FILE: file("password", content) };
      expect((await load(env)).nodes).to.deep.equal([{ url: URLS[0], options: { password } }]);
    });
  }

  it("name the password's file by its absolute path, unless the password is given", async () => {
    writeFileSync("relative", "pw\n");
    const env = { QUORATE_NODES: URLS[0], QUORATE_PASSWORD_FILE: "relative" };
    expect((await load(env)).passwordFile).to.equal(join(process.cwd(), "relative"));
    const given = await load({ ...env, QUORATE_PASSWORD: "other" });
    expect(given.passwordFile).to.equal(undefined);
  });

  it("come from nowhere else if --nodes is empty, as of an unset variable", async () => {
    writeFileSync("quorate.config.json", JSON.stringify({ nodes: [url] }));
    for (const empty of ["", " , "]) {
      const args = ["inspect", "x", "--nodes", empty];
      const { code, stderr } = await callCli(args, { QUORATE_NODES: url });
      expect(stderr).to.match(/--nodes names no node/);
      expect(code).to.equal(64);
    }
    expect(connections).to.equal(0);
  });

  it("warn of a password among the arguments, and do not show it", async () => {
    await load({}, { nodes: ["redis://:hunter2@a:1"] });
    expect(notes)
      .to.match(/--nodes is visible in the process list/)
      .and.not.include("hunter2");
    notes = "";
    await load({ QUORATE_NODES: "redis://:hunter2@a:1" });
    await load({}, { nodes: ["redis://app@a:1"] });
    expect(notes).to.equal("");
  });

  it("say which file is wrong, and exit 78", async () => {
    const cases: Readonly<Record<string, RegExp>> = {
      "[]": /must be an object/,
      '{"nodes": "redis://a:1"}': /`nodes` in .* must be an array/,
      "{": /cannot read .*c\.json/,
      '{"nodes": ["redis://a:1"], "ttl": 3}':
        /c\.json: unknown option `ttl`: did you mean `ttlMs`\?/,
      '{"nodes": ["redis://a:1"], "ttlMs": "3"}': /c\.json: `ttlMs` must be a number/,
      '{"nodes": ["redis://a:1"], "clockStepMs": -1}':
        /c\.json: `clockStepMs` must be at least 0 ms, got -1/,
      '{"nodes": [{"url": "redis://a:1", "tls": {}}]}': /c\.json: unknown option `nodes\[0\]\.tls`/,
    };
    for (const [content, says] of Object.entries(cases)) {
      const path = file("c.json", content);
      const { code, stderr } = await callCli(["inspect", "x", "--config", path]);
      expect(stderr, content).to.match(says);
      expect(code, content).to.equal(78);
    }
    expect((await callCli(["inspect", "x", "--config", join(dir, "none.json")])).code).to.equal(78);
    const env = { QUORATE_NODES: url, QUORATE_PASSWORD_FILE: join(dir, "none") };
    expect((await callCli(["inspect", "x"], env)).code).to.equal(78);
    expect(connections).to.equal(0);
  });

  it("say what is wrong on the command line, exit 64, and connect nothing", async () => {
    const nodes = ["--nodes", url];
    const cases: readonly (readonly [args: readonly string[], says: RegExp])[] = [
      [
        ["inspect", "x"],
        /no nodes: give their URLs with --nodes, in QUORATE_NODES, or in a config file/,
      ],
      [["inspect", "x", ...nodes, "--config", ""], /--config names no file/],
      [
        ["inspect", "x", "--nodes", `${url},http://b:1`],
        /--nodes\[1\] must be a redis:\/\/ or rediss:\/\/ URL/,
      ],
      [
        ["inspect", "x", "--nodes", `${url},redis://:hunter2@b:1x`],
        /--nodes\[1\] is not a valid URL: "redis:\/\/\*\*\*@b:1x"/,
      ],
      [["inspect", "y".repeat(1_025), ...nodes], /NAME must have 1 to 1024 bytes, got 1025/],
      [["inspect", "", ...nodes], /NAME must have 1 to 1024 bytes, got 0/],
      [["inspect", "x", "--key-prefix", "quorate:", ...nodes], /NAME makes a key in the reserved/],
      [["inspect", "x", "--node-timeout", "0", ...nodes], /--node-timeout must be at least 1/],
      [["release", "x", ...nodes], /release needs --force/],
      [
        ["release", "x", "--force", "--fingerprint", "abc", ...nodes],
        /--fingerprint must be 8 hex digits/,
      ],
    ];
    for (const [args, says] of cases) {
      const { code, stderr } = await callCli(args);
      expect(stderr, args.join(" ")).to.match(says).and.not.include("hunter2");
      expect(code, args.join(" ")).to.equal(64);
    }
    expect(connections).to.equal(0);
    expect((await callCli(["inspect", "x", "--node-timeout", "50ms", ...nodes])).code).to.equal(69);
    expect(connections).to.be.above(0);
  });
});
