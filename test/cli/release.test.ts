import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { LockManager, type Lock } from "../../src/index.js";
import type { MemoryNode } from "../../src/memory/index.js";
import { memoryNodes } from "../../src/memory/index.js";
import { OWN_TRANSPORT, type NodeWithTransport } from "../../src/nodes/simulated-nodes.js";
import { callCli } from "../support/cli.js";

/** Where a config module finds the nodes of the test. */
const PLACE = "nodesOfReleaseTest";

/** The node, on which no lock can be ended. */
function stubborn(node: MemoryNode): NodeWithTransport {
  return {
    isDurable: node.isDurable,
    [OWN_TRANSPORT]: (constants) => {
      const transport = node[OWN_TRANSPORT](constants);
      const connect: typeof transport.connect = (events) => {
        const connection = transport.connect(events);
        return {
          stage: undefined,
          handshake: (request, reply) => connection.handshake(request, reply),
          send: (batch, reply) => {
            if (!batch.operations.some(({ kind }) => kind === "revoke")) {
              return connection.send(batch, reply);
            }
            reply({ kind: "error", message: "READONLY", isExecuted: "no" });
          },
          close: () => connection.close(),
        };
      };
      return { ...transport, name: transport.name, connect };
    },
  };
}

describe("quorate release", () => {
  let dir: string;
  let config: string;
  let nodes: MemoryNode[];
  let locks: LockManager;
  let lock: Lock;

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), "quorate-release-"));
    config = join(dir, "config.mjs");
    writeFileSync(config, `export default { nodes: globalThis.${PLACE} };`);
    nodes = memoryNodes(3);
    locks = new LockManager(nodes);
    lock = await locks.acquire("nightly", { label: "me", renew: false });
  });
  afterEach(async () => {
    await locks.close();
    rmSync(dir, { recursive: true, force: true });
    delete (globalThis as Record<string, unknown>)[PLACE];
  });

  /** With so many nodes on which no lock can be ended. */
  async function release(stubbornCount: number, ...args: readonly string[]) {
    const given = nodes.map((node, index) => (index < stubbornCount ? stubborn(node) : node));
    (globalThis as Record<string, unknown>)[PLACE] = given;
    return await callCli(["release", "nightly", "--force", "--config", config, ...args]);
  }

  for (const stubbornCount of [0, 1]) {
    it(`exits 0 when ${3 - stubbornCount} of 3 nodes have released the name`, async () => {
      const { code, stdout } = await release(stubbornCount);
      expect(stdout).to.match(
        new RegExp(`^released nightly on ${3 - stubbornCount} of 3 nodes\nme +`),
      );
      expect(code).to.equal(0);
    });
  }

  for (const stubbornCount of [2, 3]) {
    it(`exits 69 when only ${3 - stubbornCount} of 3 nodes have released the name`, async () => {
      const { code, stdout } = await release(stubbornCount);
      expect(stdout).to.include(`only ${3 - stubbornCount} of 3 nodes released nightly`);
      expect(code).to.equal(69);
    });
  }

  it("says what it has done as JSON", async () => {
    const { code, stdout } = await release(2, "--json");
    expect(JSON.parse(stdout)).to.include({ name: "nightly", isQuorate: false });
    expect(code).to.equal(69);
  });

  it("releases nothing of anybody else", async () => {
    const { code, stdout } = await release(0, "--fingerprint", "00000000");
    expect(stdout).to.equal("nothing to release: nightly is not held by 00000000\n");
    expect(code).to.equal(0);
    await lock.extend();
  });
});
