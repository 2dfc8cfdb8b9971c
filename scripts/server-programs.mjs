// Other servers than the machine's own, by name. Each is fetched or built once and then kept in the user's cache.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism, homedir } from "node:os";
import { dirname, join, relative } from "node:path";

/**
 * Each is an archive of its source with the checksum that its makers publish, or the packages of a series in a suite of
 * Debian, which are signed.
 */
export const SERVERS = {
  "redis-6.2.14": {
    source: "https://download.redis.io/releases/redis-6.2.14.tar.gz",
    sha256: "34e74856cbd66fdb3a684fb349d93961d8c7aa668b06f81fd93ff267d09bc277",
  },
  "redis-7.2.6": {
    source: "https://download.redis.io/releases/redis-7.2.6.tar.gz",
    sha256: "fb10d67a2fe2b4556f6cb840064dd6e6e3175ce8ca035f0726990ec2da9f3d0e",
  },
  "redis-8.0": { suite: "sid", series: "8.0." },
  "redis-8.6": { suite: "experimental", series: "8.6." },
  "valkey-8.0.1": {
    source: "https://github.com/valkey-io/valkey/archive/refs/tags/8.0.1.tar.gz",
    sha256: "1e1d6dfbed2f932a87afbc7402be050a73974a9b19a9116897e537a6638e5e1d",
  },
  "valkey-8.1": { suite: "trixie", series: "8.1." },
  "valkey-9.1": { suite: "sid", series: "9.1." },
};

const DEBIAN = "http://deb.debian.org/debian";
const DEBIAN_KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg";
const DOWNLOAD_MS = 120_000;

/** The server cannot be had here and now, for example without a network. */
export class NotAvailableError extends Error {}

/** Where servers, or other programs, are kept for all clones of the repository. */
export function cacheOf(what) {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "quorate", what);
}

/** The path of a server's program in the cache, or undefined if it is not there. */
export function keptServer(name, cache = cacheOf("servers")) {
  const path = join(cache, name, programOf(name));
  return existsSync(path) ? path : undefined;
}

/**
 * Resolves to the path of a server's program, and fetches or builds it first if the cache does not have it.
 *
 * @param {string} name
 * @param {{ from?: object, cache?: string, mirror?: string }} [options] `from` replaces the entry of SERVERS. `mirror`
 *   is a directory in place of the network (default: QUORATE_SERVERS_MIRROR): it has NAME.tar.gz for each source, and a
 *   repository of packages in `debian`
 * @throws NotAvailableError with the reason
 * @throws Error if it cannot be built, or is not what its makers published
 */
export async function obtainServer(name, options = {}) {
  const { from = SERVERS[name], cache = cacheOf("servers") } = options;
  const { mirror = process.env.QUORATE_SERVERS_MIRROR || undefined } = options;
  const kept = keptServer(name, cache);
  if (kept !== undefined) return kept;
  mkdirSync(cache, { recursive: true });
  // Renamed when it is complete, so that a run that was broken off leaves nothing that looks like a server.
  const draft = mkdtempSync(join(cache, `.${name}-`));
  const work = mkdtempSync(join(cache, `.work-`));
  try {
    if (from.source === undefined) unpack(name, from, { mirror, draft, work });
    else await build(name, from, { mirror, draft, work });
    run(join(draft, programOf(name)), ["--version"]);
    rmSync(join(cache, name), { recursive: true, force: true });
    renameSync(draft, join(cache, name));
  } finally {
    for (const dir of [draft, work]) rmSync(dir, { recursive: true, force: true });
  }
  return keptServer(name, cache);
}

function programOf(name) {
  return `${flavourOf(name)}-server`;
}

function flavourOf(name) {
  return name.split("-")[0];
}

async function build(name, { source, sha256 }, { mirror, draft, work }) {
  const archive = join(work, "archive.tar.gz");
  writeFileSync(archive, await read(source, mirror && join(mirror, `${name}.tar.gz`), sha256));
  run("tar", ["-xzf", archive, "-C", work, "--strip-components=1"]);
  const jobs = `-j${availableParallelism()}`;
  // Its own allocator takes longer to build than the server.
  const settings = ["MALLOC=libc", "BUILD_TLS=yes"];
  run("make", ["-C", join(work, "src"), jobs, ...settings, programOf(name)]);
  copyFileSync(join(work, "src", programOf(name)), join(draft, programOf(name)));
}

async function read(url, file, sha256) {
  let bytes;
  try {
    bytes = file === undefined ? await download(url) : readFileSync(file);
  } catch (error) {
    throw new NotAvailableError(`${file ?? url}: ${error.cause?.message ?? error.message}`);
  }
  const found = createHash("sha256").update(bytes).digest("hex");
  if (found === sha256) return bytes;
  throw new Error(`${file ?? url} has the SHA-256 ${found}; its makers published ${sha256}`);
}

async function download(url) {
  const response = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_MS) });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

/** Unpacks the packages without installing them: the server runs with the libraries and the loader that are beside it. */
function unpack(name, { suite, series }, { mirror, draft, work }) {
  const root = join(draft, "root");
  const archives = join(work, "cache", "archives");
  for (const dir of [root, join(archives, "partial"), join(work, "lists", "partial")])
    mkdirSync(dir, { recursive: true });
  const apt = aptOf(suite, mirror, work);
  apt("apt-get", "update");
  const tools = `${flavourOf(name)}-tools`;
  const versions = apt("apt-cache", "madison", tools).matchAll(/\| *((?:\d+:)?(\S+)) *\|/g);
  const [, version] = [...versions].find((match) => match[2].startsWith(series)) ?? [];
  if (version === undefined)
    throw new NotAvailableError(`Debian's ${suite} has no ${name} at the moment`);
  // The package of the server has only a link to a program of the tools, whose libraries are all that it needs.
  apt("apt-get", "install", "--yes", "--download-only", `${tools}=${version}`);
  apt("apt-get", "download", `${programOf(name)}=${version}`);
  for (const file of readdirSync(archives).filter((each) => each.endsWith(".deb")))
    run("dpkg-deb", ["-x", join(archives, file), root]);
  const program = join(draft, programOf(name));
  writeFileSync(program, launcher(draft, root, programOf(name)), { mode: 0o755 });
}

function aptOf(suite, mirror, work) {
  const has = (program) => spawnSync(program, ["--version"]).status === 0;
  if (!has("apt-get") || !has("dpkg-deb"))
    throw new NotAvailableError("packages of Debian need apt-get and dpkg-deb");
  if (mirror === undefined && !existsSync(DEBIAN_KEYS))
    throw new NotAvailableError(`packages of Debian need ${DEBIAN_KEYS} (debian-archive-keyring)`);
  const trust = mirror === undefined ? `signed-by=${DEBIAN_KEYS}` : "trusted=yes";
  const repository = mirror === undefined ? DEBIAN : `copy:${join(mirror, "debian")}`;
  // Libraries of a package in experimental may be in sid only.
  const suites = new Set(["sid", suite]);
  const sources = [...suites].map((each) => `deb [${trust}] ${repository} ${each} main\n`);
  writeFileSync(join(work, "sources.list"), sources.join(""));
  writeFileSync(join(work, "status"), "");
  const settings = {
    "APT::Install-Recommends": "0",
    "APT::Sandbox::User": "",
    "APT::Update::Error-Mode": "any",
    "Acquire::http::Timeout": "20",
    "Dir::Cache": join(work, "cache"),
    "Dir::Etc::SourceList": join(work, "sources.list"),
    "Dir::Etc::SourceParts": "-",
    "Dir::State::Lists": join(work, "lists"),
    "Dir::State::Status": join(work, "status"),
  };
  const options = Object.entries(settings).flatMap(([key, value]) => ["-o", `${key}=${value}`]);
  return (program, ...args) => {
    try {
      return run(program, [...options, ...args], join(work, "cache", "archives"));
    } catch (error) {
      throw new NotAvailableError(error.message);
    }
  };
}

/** A script that runs the program with its own loader; no path in it, so that the directory can be renamed. */
function launcher(draft, root, program) {
  const files = readdirSync(root, { recursive: true, encoding: "utf8" });
  const loader = files.find((file) => /\/ld-linux-[^/]*\.so\.\d+$/.test(file));
  if (loader === undefined) throw new Error("the packages have no loader of programs");
  const libraries = files.filter((file) => /\.so(\.|$)/.test(file)).map((file) => dirname(file));
  const place = (file) => `\${0%/*}/${relative(draft, join(root, file))}`;
  const path = [...new Set(libraries)].map(place).join(":");
  return `#!/bin/sh
exec "${place(loader)}" --library-path "${path}" \\
  "${place(`usr/bin/${program}`)}" "$@"
`;
}

/** What the program wrote to stdout. */
function run(program, args, cwd) {
  const env = { ...process.env, LC_ALL: "C" };
  const ended = spawnSync(program, args, { cwd, env, encoding: "utf8", maxBuffer: 2 ** 28 });
  if (ended.status === 0) return ended.stdout;
  const said = `${ended.stdout ?? ""}${ended.stderr ?? ""}`.trimEnd().split("\n").slice(-8);
  const why = ended.error?.message ?? `exit code ${ended.status}`;
  throw new Error([`${program} failed: ${why}`, ...said].join("\n"));
}
