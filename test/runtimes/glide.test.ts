import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { memoryNodes } from "../../src/memory/index.js";
import { RedisFleet, transportChecks, type CommandTransport } from "../../src/testing/index.js";
import { root } from "../docs/project.js";
import { at } from "../support/nodes.js";
import { given } from "./given.js";

const EXAMPLE = join(root, "examples", "transports", "glide.mjs");

/** Its checks are those of the example. */
const withoutMessages: CommandTransport = {
  name: "none",
  connect: () => {
    throw new Error("it is not connected");
  },
};

describe("the transport of GLIDE in examples/transports", () => {
  it("is the one that the page links to", () => {
    const page = readFileSync(join(root, "docs", "how-to", "transports.md"), "utf8");
    expect(page).to.include("examples/transports/glide.mjs").and.include("npm run test:runtimes");
  });

  const { consumer = "" } = given ?? {};
  if (!existsSync(join(consumer, "node_modules", "@valkey", "valkey-glide"))) return;
  const names = transportChecks({ transport: withoutMessages }, at(memoryNodes(1), 0)).map(
    ({ name }) => name,
  );
  let fleet: RedisFleet;
  let transportTo: (host: string, port: number) => CommandTransport;
  before(async () => {
    fleet = await RedisFleet.start({ nodes: 1 });
    const file = join(consumer, "glide.mjs");
    copyFileSync(EXAMPLE, file);
    ({ transportTo } = (await import(pathToFileURL(file).href)) as {
      transportTo: typeof transportTo;
    });
  });
  after(() => fleet.stop());

  for (const name of names) {
    it(name, () => {
      const server = at(fleet.nodes, 0);
      const transport = transportTo("127.0.0.1", server.port);
      return transportChecks({ transport }, server)
        .find((check) => check.name === name)
        ?.run();
    });
  }
});
