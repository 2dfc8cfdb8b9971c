// An image with redis-server: an existing one, one made from the local program, or a pulled one.
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fromPath } from "./redis-sources.mjs";

const OWN_IMAGE = "quorate-redis:local";
const PULLED_IMAGE = "redis:7";
const PULL_MS = 60_000;
const ARCHITECTURES = { x64: ["x86_64", "amd64"], arm64: ["aarch64", "arm64"] };

/**
 * Resolves to the name of an image that the engine has.
 *
 * @throws Error when none is available.
 */
export async function ensureImage(say) {
  if (process.env.QUORATE_REDIS_IMAGE) return process.env.QUORATE_REDIS_IMAGE;
  const { getContainerRuntimeClient } = await import("testcontainers");
  const { container, info } = await getContainerRuntimeClient();
  const { dockerode } = container;
  for (const image of [OWN_IMAGE, PULLED_IMAGE]) if (await has(dockerode, image)) return image;
  const program = localProgram(info.containerRuntime.architecture);
  if (program !== undefined) {
    say(`docker: making the image ${OWN_IMAGE} of ${program}`);
    await importProgram(dockerode, program);
    if (await has(dockerode, OWN_IMAGE)) return OWN_IMAGE;
  }
  say(`docker: pulling ${PULLED_IMAGE} (60 s at most)`);
  await pull(dockerode);
  if (await has(dockerode, PULLED_IMAGE)) return PULLED_IMAGE;
  throw new Error(`the engine has no image of Redis and cannot pull ${PULLED_IMAGE}`);
}

async function has(dockerode, image) {
  return dockerode
    .getImage(image)
    .inspect()
    .then(
      () => true,
      () => false,
    );
}

/** A program that containers of the engine could run: not a script, and for the same architecture. */
function localProgram(architecture) {
  const path = process.env.QUORATE_REDIS_SERVER || fromPath();
  if (path === undefined || process.platform !== "linux") return undefined;
  if (!ARCHITECTURES[process.arch]?.includes(architecture)) return undefined;
  const isElf = readFileSync(path).subarray(0, 4).toString("latin1") === "\x7fELF";
  return isElf ? path : undefined;
}

/** The program, the libraries it loads, and a shell to look around with. */
async function importProgram(dockerode, program) {
  const root = mkdtempSync(join(tmpdir(), "quorate-image-"));
  try {
    copyWithLibraries(root, program, "/usr/bin/redis-server");
    copyWithLibraries(root, realpathSync("/bin/sh"), "/bin/sh");
    mkdirSync(join(root, "tmp"), { mode: 0o777 });
    const tar = spawn("tar", ["-C", root, "-c", "."], { stdio: ["ignore", "pipe", "ignore"] });
    const [repo, tag] = OWN_IMAGE.split(":");
    const changes = ["ENV PATH=/usr/bin:/bin", 'CMD ["redis-server"]'];
    await finished(await dockerode.importImage(tar.stdout, { repo, tag, changes }));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function copyWithLibraries(root, program, target) {
  copy(root, program, target);
  const { stdout } = spawnSync("ldd", [program], { encoding: "utf8" });
  for (const [library] of (stdout ?? "").matchAll(/\/[^ \n]+/g)) copy(root, library, library);
}

function copy(root, source, target) {
  mkdirSync(dirname(join(root, target)), { recursive: true });
  copyFileSync(source, join(root, target));
}

async function pull(dockerode) {
  const limit = AbortSignal.timeout(PULL_MS);
  await dockerode
    .pull(PULLED_IMAGE, { abortSignal: limit })
    .then(finished)
    .catch(() => {});
}

async function finished(stream) {
  for await (const chunk of stream) void chunk;
}
