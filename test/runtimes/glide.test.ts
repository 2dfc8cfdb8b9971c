import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { memoryNodes } from "../../src/memory/index.js";
import { RedisFleet, transportChecks, type CommandTransport } from "../../src/testing/index.js";
import { fencesOf } from "../docs/markdown.js";
import { root } from "../docs/project.js";
import { at } from "../support/nodes.js";
import { given } from "./given.js";

const PAGE = join(root, "docs", "how-to", "transports.md");
const code = fencesOf(PAGE).find(({ language }) => language === "js")?.code ?? "";

/** Its checks are those of the transport in the docs. */
const withoutMessages: CommandTransport = {
  name: "none",
  connect: () => {
    throw new Error("it is not connected");
  },
};

describe("the transport of GLIDE in docs/how-to/transports.md", () => {
  it("is the code that is checked", () => {
    expect(code)
      .to.include('from "@valkey/valkey-glide"')
      .and.include("export function transportTo");
    expect(readFileSync(PAGE, "utf8")).to.include("npm run test:runtimes");
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
    writeFileSync(file, code);
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
