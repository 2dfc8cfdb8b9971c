import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { root } from "../docs/project.js";
import { packageDist } from "../support/package.js";

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
  readonly repository?: { readonly type: string; readonly url: string };
  readonly bugs?: { readonly url: string };
  readonly homepage?: string;
}

interface Component {
  readonly name: string;
  readonly version: string;
}

const read = (path: string): string => readFileSync(join(root, path), "utf8");
const manifestIn = (dir: string): Manifest =>
  JSON.parse(readFileSync(join(dir, "package.json"), "utf8")) as Manifest;

describe("what is published", function () {
  this.timeout(120_000);
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "quorate-supply-"));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  it("has the same modes, whatever the umask of the clone", () => {
    const files = {
      "package.json": 0o600,
      "README.md": 0o640,
      "docs/how-to/jobs.md": 0o666,
      "dist/index.js": 0o600,
      "dist/cli/quorate.mjs": 0o700,
      "private.txt": 0o600,
    };
    for (const [name, mode] of Object.entries(files)) {
      mkdirSync(dirname(join(dir, name)), { recursive: true });
      writeFileSync(join(dir, name), "");
      chmodSync(join(dir, name), mode);
    }
    const manifest = { files: ["dist", "README.md", "docs", "!docs/internals", "examples/*.ts"] };
    writeFileSync(join(dir, "package.json"), JSON.stringify(manifest));
    execFileSync(process.execPath, [join(root, "scripts", "file-modes.mjs"), dir]);
    const modes = Object.keys(files).map((name) => statSync(join(dir, name)).mode & 0o777);
    expect(modes).to.deep.equal([0o644, 0o644, 0o644, 0o644, 0o755, 0o600]);
    expect(manifestIn(root).scripts["prepack"]).to.include("scripts/file-modes.mjs");
  });

  it("runs nothing where it is installed", () => {
    const atInstall = ["preinstall", "install", "postinstall", "prepare"];
    expect(manifestIn(root).scripts).to.not.have.any.keys(atInstall);
  });

  it("has a bill of materials with all that it depends on, and all that its program contains", () => {
    const script = join(root, "scripts", "sbom.mjs");
    const text = execFileSync(process.execPath, [script], { encoding: "utf8" });
    const { components, metadata } = JSON.parse(text) as {
      readonly components: readonly Component[];
      readonly metadata: { readonly component: Component };
    };
    const listed = components.map(({ name, version }) => `${name} ${version}`);
    expect(metadata.component).to.include({ name: "quorate", type: "library" });
    const names = components.map(({ name }) => name);
    expect(names).to.include.members(Object.keys(manifestIn(root).dependencies));
    const licenses = readFileSync(join(packageDist(), "cli", "LICENSES.txt"), "utf8");
    const bundled = [...licenses.matchAll(/^(\S+ \d+\.\d+\.\d+) \(.+\)$/gm)].map(([, id]) => id);
    expect(bundled).to.have.length.above(5);
    expect(listed).to.have.members(bundled);
  });

  it("has an address by one command", () => {
    copyFileSync(join(root, "package.json"), join(dir, "package.json"));
    const [, command = ""] = /```sh\n(\s+address=[^]+?)```/.exec(read("CONTRIBUTING.md")) ?? [];
    execFileSync("sh", ["-c", command], { cwd: dir });
    const { repository, bugs, homepage } = manifestIn(dir);
    expect({ repository, bugs, homepage }).to.deep.equal({
      repository: { type: "git", url: "git+https://github.com/OWNER/quorate.git" },
      bugs: { url: "https://github.com/OWNER/quorate/issues" },
      homepage: "https://github.com/OWNER/quorate#readme",
    });
  });

  it("has one address, or none yet", () => {
    const { repository, bugs, homepage } = manifestIn(root);
    const address = repository?.url.replace(/^git\+|\.git$/g, "");
    const expected =
      address === undefined ? [undefined, undefined] : [`${address}/issues`, `${address}#readme`];
    expect([bugs?.url, homepage]).to.deep.equal(expected);
    expect(read("SECURITY.md").includes("not published yet")).to.equal(address === undefined);
  });

  it("is tested and made by actions that are pinned to a commit", () => {
    const folder = join(".github", "workflows");
    const uses = readdirSync(join(root, folder)).flatMap((name) =>
      [...read(join(folder, name)).matchAll(/uses: *(.*)$/gm)].map(([, action]) => action),
    );
    expect(uses).to.have.length.above(5);
    const isPinned = (action = ""): boolean =>
      /^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action);
    expect(uses.filter((action) => !isPinned(action))).to.deep.equal([]);
    expect(isPinned("actions/checkout@v4")).to.equal(false);
  });
});
