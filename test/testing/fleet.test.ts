import { expect } from "chai";
import { RedisFleet, RedisProcess } from "../../src/testing/index.js";
import type { RedisServer } from "../../src/testing/index.js";
import { accepts, oneShotClient, rejection } from "./raw-client.js";

describe("RedisFleet", () => {
  it("starts independent servers and stops them all", async () => {
    const fleet = await RedisFleet.start({ nodes: 3 });
    await fleet.nodes[0]?.command("SET", "key", "value");
    expect(await fleet.nodes[1]?.command("GET", "key")).to.equal(null);
    expect(new Set(fleet.urls).size).to.equal(3);
    const ports = fleet.nodes.map((node) => node.port);
    await fleet.stop();
    for (const port of ports) expect(await accepts(port)).to.equal(false);
  });

  it("puts links in front that commands and flush go past", async () => {
    const fleet = await RedisFleet.start({ nodes: 1, links: true });
    try {
      const [node] = fleet.nodes;
      if (node === undefined) throw new Error("no node");
      expect(node.url).to.equal(node.link.url).and.not.equal(node.directUrl);
      const client = await oneShotClient(node.url);
      await client.set("key", "value");
      node.link.blackhole();
      expect(await node.command("GET", "key")).to.equal("value");
      await node.flush();
      expect(await node.command("GET", "key")).to.equal(null);
      client.disconnect();
    } finally {
      await fleet.stop();
    }
  });

  it("has no links unless asked for", async () => {
    const fleet = await RedisFleet.start({ nodes: 1 });
    expect(() => fleet.nodes[0]?.link).to.throw(/without links/);
    await fleet.stop();
  });

  it("stops the others when one server does not start", async () => {
    const started: RedisServer[] = [];
    const failing = RedisFleet.start({
      nodes: 3,
      server: (index) => ({ extraArgs: index === 1 ? ["--no-such-thing", "1"] : [] }),
      provider: {
        start: async (options) => {
          const server = await RedisProcess.start(options);
          started.push(server);
          return server;
        },
      },
    });
    expect((await rejection(failing)).message).to.match(/no-such-thing/);
    expect(started.map((server) => server.isRunning)).to.deep.equal([false, false]);
  });
});
