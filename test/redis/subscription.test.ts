import { setImmediate as nextTurn } from "node:timers/promises";
import { expect } from "chai";
import { Redis } from "ioredis";
import { subscribeOnce } from "../../src/redis/subscription.js";
import { RedisProcess } from "../../src/testing/index.js";
import { activeResources } from "../support/active-resources.js";
import { eventually } from "../support/settle.js";

const CHANNEL = "quorate:inbox:a";

describe("subscribeOnce", () => {
  const clients: Redis[] = [];
  // They are the test's own, which the library closes and does not let go of.
  afterEach(() => {
    for (const client of clients.splice(0)) client.removeAllListeners();
  });

  it("leaves no timer that would keep the process alive when the server refuses it", async () => {
    // From here on mocha's own is counted.
    await nextTurn();
    const before = activeResources("Timeout");
    const redis = new Redis({ port: 1, lazyConnect: true });
    redis.options.retryStrategy = () => null;
    clients.push(redis);
    await new Promise<void>((resolve) => {
      const subscription = subscribeOnce(redis, CHANNEL, {
        ...{ onOpen: () => {}, onMessage: () => {} },
        onClose: () => {
          subscription.close();
          resolve();
        },
      });
    });
    expect(redis.status).to.equal("end");
    // Those of connections that ended before may have come to their end, too.
    expect(activeResources("Timeout")).to.be.at.most(before);
  });

  describe("on a server", () => {
    let server: RedisProcess;
    before(async () => {
      server = await RedisProcess.start();
      for (const [user, channels] of [
        ["hears", "allchannels"],
        ["deaf", "resetchannels"],
      ] as const) {
        await server.command("ACL", "SETUSER", user, "ON", ">secret", "+@all", channels);
      }
    });
    after(() => server.stop());

    function subscribe(username: string) {
      const { port } = server;
      const redis = new Redis({ port, username, password: "secret", lazyConnect: true });
      redis.options.retryStrategy = () => null;
      clients.push(redis);
      const told: string[] = [];
      const subscription = subscribeOnce(redis, CHANNEL, {
        onOpen: () => told.push("open"),
        onMessage: (message) => told.push(message),
        onClose: () => told.push("closed"),
      });
      return { told, subscription, redis };
    }

    it("tells of messages once it is open, and of none when it was closed", async () => {
      const { told, subscription, redis } = subscribe("hears");
      await eventually("it is open", () => told.includes("open"));
      await server.command("PUBLISH", CHANNEL, "handshake");
      await eventually("it was told", () => told.includes("handshake"));
      subscription.close();
      await eventually("the connection has ended", () => redis.status === "end");
      expect(told).to.deep.equal(["open", "handshake"]);
    });

    it("is closed, once, if the server does not let it subscribe", async () => {
      const { told, redis } = subscribe("deaf");
      await eventually("the connection has ended", () => redis.status === "end");
      expect(told).to.deep.equal(["closed"]);
    });

    it("is closed, once, if its connection breaks", async () => {
      const { told, redis } = subscribe("hears");
      await eventually("it is open", () => told.includes("open"));
      await server.command("CLIENT", "KILL", "TYPE", "pubsub");
      await eventually("the connection has ended", () => redis.status === "end");
      expect(told).to.deep.equal(["open", "closed"]);
    });
  });
});
