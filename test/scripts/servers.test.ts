import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { root } from "../docs/project.js";
import { rejection } from "../testing/raw-client.js";

interface Programs {
  readonly SERVERS: Readonly<Record<string, unknown>>;
  readonly NotAvailableError: new () => Error;
  obtainServer(
    name: string,
    options: { from?: object; cache: string; mirror: string },
  ): Promise<string>;
}

/** What the servers of this test answer. */
const ABOUT = "Redis server v=9.9.9";
const PROGRAM = `#!/bin/sh\necho "${ABOUT} $*"\n`;

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
const has = (program: string): boolean => spawnSync(program, ["--version"]).status === 0;

describe("other servers than the machine's own", function () {
  this.timeout(60_000);
  let programs: Programs;
  let dir: string;
  let cache: string;
  let mirror: string;

  before(async () => {
    const file = pathToFileURL(join(root, "scripts", "server-programs.mjs")).href;
    programs = (await import(file)) as Programs;
  });
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "quorate-servers-"));
    cache = join(dir, "quorate", "servers");
    mirror = join(dir, "mirror");
    mkdirSync(mirror);
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  const write = (path: string, text: string, mode = 0o644): void => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text, { mode });
  };
  const kept = (): readonly string[] => readdirSync(cache);
  const ask = (...args: readonly string[]) => {
    const env = { ...process.env, XDG_CACHE_HOME: dir, QUORATE_SERVERS_MIRROR: mirror };
    const script = join(root, "scripts", "servers.mjs");
    return spawnSync(process.execPath, [script, ...args], { encoding: "utf8", env });
  };

  describe("the program that gets them", () => {
    it("lists the names, with the paths of those that it has", () => {
      write("quorate/servers/valkey-9.1/valkey-server", PROGRAM, 0o755);
      const { stdout, status } = ask();
      expect(status).to.equal(0);
      const lines = stdout.trimEnd().split("\n");
      expect(lines.map((line) => line.split(/ +/)[0])).to.deep.equal(Object.keys(programs.SERVERS));
      const path = join(cache, "valkey-9.1", "valkey-server");
      expect(lines.filter((line) => line.includes("/"))).to.deep.equal([`valkey-9.1    ${path}`]);
      expect(ask("valkey-9.1").stdout).to.equal(`${path}\n`);
    });

    it("explains itself", () => {
      const { stdout, stderr, status } = ask("--help");
      expect(stdout).to.match(/^usage: node scripts\/servers\.mjs \[NAME\]\n/);
      expect({ stderr, status }).to.deep.equal({ stderr: "", status: 0 });
    });

    for (const args of [["redis-1"], ["redis-8.6", "more"], ["--no-such"], ["toString"]]) {
      it(`names arguments that mean nothing to it: ${args.join(" ")}`, () => {
        const { stdout, stderr, status } = ask(...args);
        expect(stderr)
          .to.include(`'${args.join(" ")}'`)
          .and.include("usage: ");
        expect({ stdout, status }).to.deep.equal({ stdout: "", status: 2 });
      });
    }

    for (const name of ["redis-7.2.6", "redis-8.6"]) {
      it(`exits with 69 if nothing can be fetched, and says what it missed: ${name}`, () => {
        const { stdout, stderr, status } = ask(name);
        expect(stderr)
          .to.match(new RegExp(`^${name}: `))
          .and.not.match(/^ +at /m);
        expect(stderr).to.match(new RegExp(`${mirror}|apt-get`));
        expect({ stdout, status }).to.deep.equal({ stdout: "", status: 69 });
        expect(kept()).to.deep.equal([]);
      });
    }

    it("exits with 1 if what it fetched is not what its makers published", () => {
      write("mirror/redis-7.2.6.tar.gz", "something else");
      const { stdout, stderr, status } = ask("redis-7.2.6");
      expect(stderr).to.include(sha256(Buffer.from("something else")));
      expect({ stdout, status }).to.deep.equal({ stdout: "", status: 1 });
      expect(kept()).to.deep.equal([]);
    });
  });

  describe("built from source", () => {
    /** An archive whose Makefile has this recipe for the program. */
    const archive = (recipe: string): { source: string; sha256: string } => {
      write("redis-9/program", PROGRAM, 0o755);
      write("redis-9/src/Makefile", `redis-server:\n\t${recipe}\n`);
      const file = join(mirror, "redis-9.tar.gz");
      execFileSync("tar", ["-czf", file, "-C", dir, "redis-9"]);
      return {
        source: "https://example.invalid/redis-9.tar.gz",
        sha256: sha256(readFileSync(file)),
      };
    };

    it("are kept: the second time, nothing is fetched", async () => {
      const from = archive("cp ../program $@");
      const path = await programs.obtainServer("redis-9", { from, cache, mirror });
      expect(execFileSync(path, ["--port"], { encoding: "utf8" })).to.equal(`${ABOUT} --port\n`);
      expect(kept()).to.deep.equal(["redis-9"]);
      rmSync(mirror, { recursive: true });
      expect(await programs.obtainServer("redis-9", { from, cache, mirror })).to.equal(path);
    });

    for (const [why, recipe, words] of [
      ["do not compile", "echo 'no such header' >&2; false", "no such header"],
      ["do not run", "echo 'exit 3' > $@; chmod +x $@", "exit code 3"],
    ] as const) {
      it(`leave nothing behind if they ${why}`, async () => {
        const from = archive(recipe);
        const error = await rejection(programs.obtainServer("redis-9", { from, cache, mirror }));
        expect(error.message).to.include(words);
        expect(error).to.not.be.instanceOf(programs.NotAvailableError);
        expect(kept()).to.deep.equal([]);
      });
    }
  });

  describe("from packages of Debian", () => {
    before(function () {
      if (!has("apt-get") || !has("dpkg-deb")) this.skip();
    });

    /** A repository with one suite; the loader that runs the program is a script. */
    const repository = (): void => {
      const lib = "usr/lib/some-linux-gnu";
      const loader = `#!/bin/sh\necho "loaded from $2"\nshift 2\nexec "$@"\n`;
      const packages = [
        entry("libc6", "2.1", "", {
          [`${lib}/ld-linux-some.so.2`]: loader,
          [`${lib}/libc.so.6`]: "",
        }),
        entry("redis-tools", "5:9.9.8-1", "libc6", {}),
        entry("redis-tools", "5:9.9.9-1", "libc6", {}),
        entry("redis-tools", "5:10.0.0-1", "libc6", {}),
        entry("redis-server", "5:9.9.9-1", "not-needed", { "usr/bin/redis-server": PROGRAM }),
      ].join("\n");
      const arch = execFileSync("dpkg", ["--print-architecture"], { encoding: "utf8" }).trim();
      const index = `main/binary-${arch}/Packages`;
      write(`mirror/debian/dists/sid/${index}`, packages);
      const sum = `${sha256(Buffer.from(packages))} ${Buffer.byteLength(packages)} ${index}`;
      const about = `Suite: sid\nCodename: sid\nComponents: main\nArchitectures: ${arch}`;
      write("mirror/debian/dists/sid/Release", `${about}\nSHA256:\n ${sum}\n`);
    };
    const entry = (
      name: string,
      version: string,
      depends: string,
      files: Readonly<Record<string, string>>,
    ): string => {
      const control = [
        `Package: ${name}`,
        `Version: ${version}`,
        "Architecture: all",
        "Maintainer: nobody <nobody@example.invalid>",
        ...(depends === "" ? [] : [`Depends: ${depends}`]),
        "Description: for a test",
      ].join("\n");
      const file = `pool/${name}_${version.replace(/.*:/, "")}.deb`;
      const place = `debs/${name}-${version.replace(/.*:/, "")}`;
      write(`${place}/DEBIAN/control`, `${control}\n`);
      for (const [path, text] of Object.entries(files)) write(`${place}/${path}`, text, 0o755);
      mkdirSync(join(mirror, "debian", "pool"), { recursive: true });
      const deb = join(mirror, "debian", file);
      execFileSync("dpkg-deb", ["--root-owner-group", "-b", join(dir, place), deb]);
      const bytes = readFileSync(deb);
      return `${control}\nFilename: ${file}\nSize: ${bytes.length}\nSHA256: ${sha256(bytes)}\n`;
    };

    it("are unpacked with the libraries and the loader that they need, and not installed", async () => {
      repository();
      const from = { suite: "sid", series: "9.9." };
      const path = await programs.obtainServer("redis-9.9", { from, cache, mirror });
      rmSync(mirror, { recursive: true });
      const libraries = join(cache, "redis-9.9", "root", "usr", "lib", "some-linux-gnu");
      const said = execFileSync(path, ["--port"], { encoding: "utf8" });
      expect(said).to.equal(`loaded from ${libraries}\n${ABOUT} --port\n`);
      expect(kept()).to.deep.equal(["redis-9.9"]);
    });

    it("are not to be had if Debian has gone on to another series", async () => {
      repository();
      const from = { suite: "sid", series: "9.8." };
      const error = await rejection(programs.obtainServer("redis-9.8", { from, cache, mirror }));
      expect(error).to.be.instanceOf(programs.NotAvailableError);
      expect(error.message).to.include("sid").and.include("redis-9.8");
      expect(kept()).to.deep.equal([]);
    });
  });
});
