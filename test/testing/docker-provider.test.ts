import { once } from "node:events";
import { expect } from "chai";
import { sessionLabels } from "../../src/testing/container-cleanup.js";
import { dockerEngine } from "../../src/testing/docker-engine.js";
import { RedisContainer } from "../../src/testing/index.js";
import { noDocker } from "./docker.js";
import { parentThat } from "./parent-process.js";
import type { Parent } from "./parent-process.js";
import { providerContract } from "./provider-contract.js";
import { accepts, rejection, until } from "./raw-client.js";

const CLEANUP = new URL("../../src/testing/container-cleanup.js", import.meta.url).href;
/** Containers come and go at the pace of the engine, and an image may have to be pulled. */
const TIMEOUT_MS = 120_000;

type Labels = Record<string, string>;

/** Ids of the containers with these labels, in whatever state they are. */
async function containersWith(labels: Labels): Promise<string[]> {
  const { client } = await dockerEngine();
  const label = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  const found = await client.container.dockerode.listContainers({ all: true, filters: { label } });
  return found.map(({ Id }) => Id);
}

const suite = noDocker === undefined ? describe : describe.skip;

suite(`the docker provider${noDocker === undefined ? "" : ` (skipped: ${noDocker})`}`, function () {
  this.timeout(TIMEOUT_MS);

  providerContract("docker");

  it("is open to this host only", async () => {
    await using server = await RedisContainer.start();
    const { client } = await dockerEngine();
    const { NetworkSettings } = await client.container.getById(server.containerId ?? "").inspect();
    const bindings = Object.values(NetworkSettings.Ports).flat();
    expect(bindings.map(({ HostIp }) => HostIp)).to.deep.equal(["127.0.0.1"]);
  });

  it("leaves no container behind, neither of a stop nor of a failure", async () => {
    const server = await RedisContainer.start();
    await server.restart({ keepData: false });
    expect(await containersWith(sessionLabels())).to.deep.equal([server.containerId]);
    await server.stop();
    expect(await containersWith(sessionLabels())).to.deep.equal([]);
    await rejection(RedisContainer.start({ extraArgs: ["--no-such-thing", "1"] }));
    expect(await containersWith(sessionLabels())).to.deep.equal([]);
  });

  it("says that the clock of a server cannot be changed", async () => {
    const error = await rejection(RedisContainer.start({ clock: true }));
    expect(error).to.include({ name: "UnavailableError", code: "QUORATE_TESTING_NO_CLOCK" });
  });

  describe("the containers of a process", () => {
    const started = (ending: string): Promise<Parent<Labels>> => {
      const imports = `import { sessionLabels } from ${JSON.stringify(CLEANUP)};`;
      return parentThat({ provider: "docker", imports, report: "sessionLabels()", ending });
    };

    async function expectNothingLeft(parent: Parent<Labels>): Promise<void> {
      await until(async () => (await containersWith(parent.report)).length === 0, 30_000);
      for (const port of parent.ports) expect(await accepts(port)).to.equal(false);
    }

    for (const signal of ["SIGKILL", "SIGINT"] as const) {
      it(`are removed after ${signal}, which keeps its effect`, async () => {
        const parent = await started("setInterval(() => {}, 1000);");
        expect(await containersWith(parent.report)).to.have.lengthOf(2);
        const exit = once(parent.child, "exit");
        parent.child.kill(signal);
        expect(await exit).to.deep.equal([null, signal]);
        await expectNothingLeft(parent);
      });
    }

    it("do not keep it from ending", async () => {
      const parent = await started("");
      if (parent.child.exitCode === null) await once(parent.child, "exit");
      expect(parent.child.exitCode).to.equal(0);
      await expectNothingLeft(parent);
    });
  });
});
