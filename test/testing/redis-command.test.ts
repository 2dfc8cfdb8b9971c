import { expect } from "chai";
import { FleetNode } from "../../src/testing/fleet-node.js";
import { commandAccess, redisUrl } from "../../src/testing/redis-command.js";
import type { RedisServer, RedisServerOptions } from "../../src/testing/redis-provider.js";

const TLS = { cert: "c", key: "k", ca: "a" };
const USER = { username: "admin", password: "own" };

describe("How a server of tests is reached", () => {
  it("is by the scheme of its connections, without credentials", () => {
    expect(redisUrl(7_001, {})).to.equal("redis://127.0.0.1:7001");
    expect(redisUrl(7_001, { requirepass: "secret" })).to.equal("redis://127.0.0.1:7001");
    expect(redisUrl(7_001, { tls: TLS })).to.equal("rediss://127.0.0.1:7001");
  });

  const ACCESS: readonly (readonly [
    options: RedisServerOptions,
    auth: ReturnType<typeof commandAccess>["auth"],
  ])[] = [
    [{}, undefined],
    [{ requirepass: "secret" }, { password: "secret" }],
    [{ commandAuth: USER }, USER],
    [{ requirepass: "secret", commandAuth: USER }, USER],
  ];
  for (const [options, auth] of ACCESS) {
    it(`is, for a command of the tests, with ${JSON.stringify(auth) ?? "no password"}`, () => {
      expect(commandAccess(options)).to.deep.equal({ tls: undefined, auth });
      expect(commandAccess({ ...options, tls: TLS })).to.deep.equal({ tls: TLS, auth });
    });
  }

  for (const scheme of ["redis", "rediss"]) {
    it(`is by the links of clients as by itself: ${scheme}://`, async () => {
      const stop = async (): Promise<void> => {};
      const server = { url: `${scheme}://127.0.0.1:7001`, port: 7_001, stop };
      const node = new FleetNode(0, server as unknown as RedisServer);
      const link = await node.linkFor("a client");
      expect(link.url).to.equal(`${scheme}://127.0.0.1:${link.port}`);
      expect(await node.linkFor("a client")).to.equal(link);
      expect(await node.linkFor("another")).to.not.equal(link);
      await node.stop();
    });
  }
});
