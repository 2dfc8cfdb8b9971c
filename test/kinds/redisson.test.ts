import { expect } from "chai";
import { redissonChannel } from "../../src/kinds/redisson.js";
import { MARKERS } from "../../src/protocol/markers.js";

describe("redissonChannel", () => {
  // As `prefixName` of Redisson's RedissonObject does it.
  for (const [key, channel] of [
    ["stock:7", "redisson_lock__channel:{stock:7}"],
    ["{user:1}:cart", "redisson_lock__channel:{user:1}:cart"],
    ["a}b", "redisson_lock__channel:{a}b}"],
  ] as const) {
    it(`tells Redisson's waiters of ${key} on ${channel}`, () => {
      expect(redissonChannel(key)).to.equal(channel);
    });
  }
});

describe("the marker of a lock of an owner", () => {
  it("has the owner where the label of a plain lock stands", () => {
    // 22 characters of an ownerId, and a colon.
    expect(MARKERS.owned).to.have.length(23).and.match(/:$/);
  });
});
