import { execFileSync } from "node:child_process";
import { expect } from "chai";
import { findProvider } from "../../src/testing/find-provider.js";
import { RedisContainer, RedisFleet, RedisProcess } from "../../src/testing/index.js";
import type { ProviderName } from "../../src/testing/index.js";
import { noDocker } from "./docker.js";
import { rejection } from "./raw-client.js";

const TESTING = new URL("../../src/testing/index.js", import.meta.url).href;

/** A module hook that makes an import fail as if the package were not installed. */
const WITHOUT_PACKAGE = `data:text/javascript,${encodeURIComponent(`
  import { register } from "node:module";
  const hook = \`export function resolve(name, context, next) {
    if (name !== "testcontainers") return next(name, context);
    throw Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
  }\`;
  register("data:text/javascript," + encodeURIComponent(hook));`)}`;

/** Code and message of the failure to start a fleet in a process with this environment. */
function failureWith(
  provider: ProviderName,
  env: Record<string, string>,
  flags: readonly string[] = [],
): string {
  const script = `
    import { RedisFleet } from ${JSON.stringify(TESTING)};
    const start = RedisFleet.start({ nodes: 1, provider: "${provider}" });
    const failure = await start.then((fleet) => fleet.stop(), (error) => error);
    process.stdout.write(\`\${failure?.code}: \${failure?.message}\`);`;
  const args = [...flags, "--input-type=module", "-e", script];
  // Neither a server program nor an engine that happens to be here may be found.
  const bare = { ...process.env, PATH: "", QUORATE_REDIS_SERVER: "", ...env };
  return execFileSync(process.execPath, args, { encoding: "utf8", env: bare });
}

describe("a fleet's provider", () => {
  it("is looked up by its name", async () => {
    expect(await findProvider("process")).to.equal(RedisProcess);
    expect(await findProvider("docker")).to.equal(RedisContainer);
    expect(await findProvider(RedisContainer)).to.equal(RedisContainer);
    const error = await rejection(RedisFleet.start(JSON.parse('{"provider":"podman"}')));
    expect(error).to.be.instanceOf(RangeError);
    expect(error.message).to.match(/provider.*podman/);
  });

  it("is by default a local process where a server program is found", async () => {
    expect(await findProvider("auto")).to.equal(RedisProcess);
  });

  it("is by default Docker where no server program is found", async function () {
    if (noDocker !== undefined) this.skip();
    const path = process.env["PATH"];
    const program = process.env["QUORATE_REDIS_SERVER"];
    try {
      process.env["PATH"] = "";
      delete process.env["QUORATE_REDIS_SERVER"];
      expect(await findProvider("auto")).to.equal(RedisContainer);
    } finally {
      process.env["PATH"] = path;
      if (program !== undefined) process.env["QUORATE_REDIS_SERVER"] = program;
    }
  });

  it("says what is missing when it finds neither", () => {
    const failure = failureWith("auto", {}, ["--import", WITHOUT_PACKAGE]);
    expect(failure).to.match(/^QUORATE_TESTING_NO_SERVER: .*redis-server.*testcontainers/);
  });

  it("says that testcontainers is to be installed", () => {
    const failure = failureWith("docker", {}, ["--import", WITHOUT_PACKAGE]);
    expect(failure).to.match(/^QUORATE_TESTING_NO_TESTCONTAINERS: .*npm install.*testcontainers/);
  });
});
