import { expect } from "chai";
import {
  checkClient,
  checkOptions,
  copyOfClusterOptions,
  copyOfOptions,
  isRedisOption,
} from "../../src/redis/copied-options.js";

const NATS = { "a:1": { host: "b", port: 2 } };

describe("copyOfOptions", () => {
  it("copies where the server is and who we are, and nothing that Quorate sets itself", () => {
    const copied = {
      ...{ host: "a", port: 0, path: "/s", family: 6, tls: {}, username: "u", password: "p" },
      ...{ db: 0, name: "master", sentinels: [{ host: "s" }], natMap: NATS, keepAlive: 5 },
    };
    const own = {
      ...{ retryStrategy: () => 5, connectionName: "x", lazyConnect: true, commandTimeout: 5 },
      ...{ keyPrefix: "app:", readOnly: true, enableOfflineQueue: false },
    };
    expect(copyOfOptions({ ...own, ...copied })).to.deep.equal(copied);
    expect(copyOfOptions(own)).to.deep.equal({});
  });

  it("leaves out what is undefined, which would replace a default, and keeps null", () => {
    expect(copyOfOptions({ host: undefined, password: null })).to.deep.equal({ password: null });
  });
});

describe("copyOfClusterOptions", () => {
  it("copies how to find the members, and the options of their clients", () => {
    const redisOptions = { password: "p" };
    const copied = { redisOptions, natMap: NATS, slotsRefreshTimeout: 5 };
    const own = { scaleReads: "slave", clusterRetryStrategy: () => 5, keyPrefix: "app:" };
    expect(copyOfClusterOptions({ ...own, ...copied })).to.deep.equal(copied);
  });
});

describe("checkClient", () => {
  it("takes every option that it knows, a key prefix, and those of iovalkey", () => {
    const known = { host: "a", retryStrategy: () => 5, keyPrefix: "app:", familyFallback: true };
    expect(() => checkClient(known, "nodes[0]", false)).to.not.throw();
    const ofCluster = { scaleReads: "slave", keyPrefix: "app:", redisOptions: known };
    expect(() => checkClient(ofCluster, "nodes[0]", true)).to.not.throw();
    expect(() => checkClient({}, "nodes[0]", true)).to.not.throw();
  });

  it("takes an option that it does not know only if it is off", () => {
    for (const off of [undefined, null, false]) {
      expect(() => checkClient({ tunnel: off }, "nodes[0]", false)).to.not.throw();
    }
    for (const on of [true, 0, "", {}]) {
      expect(() => checkClient({ tunnel: on }, "nodes[0]", false)).to.throw(
        TypeError,
        "`nodes[0]` is a client with the option `tunnel`, which Quorate does not know",
      );
    }
  });

  for (const [what, options, isCluster] of [
    ["an option of a Cluster on a client of one server", { scaleReads: "slave" }, false],
    ["an option of a server on a Cluster itself", { host: "a" }, true],
    ["an unknown option of the members", { redisOptions: { tunnel: true } }, true],
    ["what every object has", { toString: true }, false],
  ] as const) {
    it(`rejects ${what}`, () => {
      expect(() => checkClient(options, "nodes[2]", isCluster)).to.throw(TypeError, "`nodes[2]`");
    });
  }
});

describe("checkOptions", () => {
  it("takes the options of ioredis, a key prefix too, and names any other", () => {
    expect(() => checkOptions({ host: "a", keyPrefix: "app:" }, "nodes[1]")).to.not.throw();
    for (const name of ["hots", "toString", "scaleReads"]) {
      expect(isRedisOption(name), name).to.equal(false);
      expect(() => checkOptions({ [name]: undefined }, "nodes[1]")).to.throw(
        TypeError,
        `nodes[1].options.${name}`,
      );
    }
  });
});
