import { expect } from "chai";
import { nodeAddress } from "../../../src/integrations/opentelemetry/node-address.js";

describe("nodeAddress", () => {
  for (const [node, address, port] of [
    ["127.0.0.1:6379", "127.0.0.1", 6_379],
    ["redis-1.example:7001", "redis-1.example", 7_001],
    ["[::1]:6379", "::1", 6_379],
    ["memory-0", "memory-0", undefined],
    ["cluster 0", "cluster 0", undefined],
    ["/run/redis.sock", "/run/redis.sock", undefined],
  ] as const) {
    it(`of ${node}`, () => {
      const attributes = nodeAddress(node);
      expect(attributes["server.address"]).to.equal(address);
      expect(attributes["server.port"]).to.equal(port);
    });
  }
});
