import { expect } from "chai";
import * as fc from "fast-check";
import { infoFields, serverOfInfo } from "../../../src/cli/doctor/server-info.js";

const server = (...lines: readonly string[]) => serverOfInfo(infoFields(lines.join("\r\n")));

describe("infoFields", () => {
  it("reads every field, with all that follows its first colon", () => {
    const name = fc.stringMatching(/^[a-z_0-9]+$/);
    const value = fc.stringMatching(/^[ -~]*$/);
    fc.assert(
      fc.property(fc.dictionary(name, value), fc.constantFrom("\n", "\r\n"), (fields, end) => {
        const lines = Object.entries(fields).map(([field, text]) => `${field}:${text}`);
        const text = ["# Server", ...lines, "", "# Clients: none", ":x", "no colon"].join(end);
        expect([...infoFields(text)]).to.deep.equal(Object.entries(fields));
      }),
    );
  });
});

describe("serverOfInfo", () => {
  it("reads what the doctor judges, in its units", () => {
    const lines = [
      ...["# Server", "redis_version:7.4.1", "run_id:abc", "executable:/usr/bin/redis-server"],
      ...["connected_slaves:2", "used_memory:1048576", "maxmemory:2097152"],
      ...["maxmemory_policy:allkeys-lru", "evicted_keys:17", "aof_enabled:1"],
      ...["latest_fork_usec:2500", "cmdstat_evalsha:calls=12,usec=340,usec_per_call=28.25,x=1"],
    ];
    expect(server(...lines)).to.deep.equal({
      ...{ runId: "abc", flavour: "Redis", version: "7.4.1", replicaCount: 2 },
      ...{ maxMemoryBytes: 2_097_152, usedMemoryBytes: 1_048_576, evictionPolicy: "allkeys-lru" },
      ...{ evictedKeyCount: 17, hasAof: true, lastForkMs: 2.5, scriptMs: 0.02825 },
    });
  });

  it("makes the best of a server that reports nothing", () => {
    expect(server("")).to.deep.equal({
      ...{ runId: "", flavour: "Redis", version: "unknown", replicaCount: 0 },
      ...{ maxMemoryBytes: 0, usedMemoryBytes: 0, evictionPolicy: "", evictedKeyCount: 0 },
      ...{ hasAof: false, lastForkMs: 0, scriptMs: undefined },
    });
  });

  for (const [flavour, version, ...lines] of [
    ["Redis", "6.2.14", "redis_version:6.2.14", "executable:/opt/redis-server"],
    ["Valkey", "8.0.1", "redis_version:7.2.4", "valkey_version:8.0.1"],
    ["Dragonfly", "df-v1.25", "redis_version:7.4.0", "dragonfly_version:df-v1.25"],
    ["KeyDB", "6.3.4", "redis_version:6.3.4", "mvcc_depth:0"],
    ["KeyDB", "6.3.4", "redis_version:6.3.4", "executable:/usr/bin/KeyDB-server"],
  ] as const) {
    it(`recognizes ${flavour} ${version} by ${lines.at(-1)}`, () => {
      expect(server(...lines)).to.include({ flavour, version });
    });
  }
});
