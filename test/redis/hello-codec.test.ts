import { expect } from "chai";
import type { HelloRequest } from "../../src/channel/transport.js";
import { decodeHello, encodeHello } from "../../src/redis/hello-codec.js";

const REQUEST: HelloRequest = {
  previous: undefined,
  newId: "new-id",
  hadRecord: false,
  nodeCount: 3,
  maxTtlMs: 60_000,
  isDurable: false,
  openId: undefined,
};

const RECORD = ["record", "run-a", "open", "1700000000000", "3", "60000"];

/** A reply of the hello script. */
const reply = (role: string, policy: string, maxMemory: string, record: unknown[] = RECORD) => [
  "run-a",
  role,
  policy,
  maxMemory,
  "1700000001000",
  ...record,
];

describe("encodeHello", () => {
  it("keeps the places that the script reads", () => {
    expect(encodeHello(REQUEST)).to.deep.equal(["new-id", 0, 3, 60_000, 0, ""]);
    expect(
      encodeHello({ ...REQUEST, hadRecord: true, isDurable: true, openId: "old-id" }),
    ).to.deep.equal(["new-id", 1, 3, 60_000, 1, "old-id"]);
  });
});

describe("decodeHello", () => {
  it("reads who the server is, and its record", () => {
    expect(decodeHello("17", reply("master", "noeviction", "0"))).to.deep.equal({
      kind: "hello",
      connectionId: "17",
      runId: "run-a",
      nodeTimeMs: 1_700_000_001_000,
      problems: [],
      record: {
        id: "record",
        runId: "run-a",
        state: "open",
        writtenMs: 1_700_000_000_000,
        nodeCount: 3,
        maxTtlMs: 60_000,
      },
    });
  });

  for (const { role, policy, maxMemory, kinds } of [
    { role: "master", policy: "noeviction", maxMemory: "1000000", kinds: [] },
    { role: "master", policy: "allkeys-lru", maxMemory: "0", kinds: [] },
    { role: "master", policy: "allkeys-lru", maxMemory: "1000000", kinds: ["eviction"] },
    { role: "master", policy: "volatile-ttl", maxMemory: "1", kinds: ["eviction"] },
    { role: "slave", policy: "noeviction", maxMemory: "0", kinds: ["replica"] },
    { role: "slave", policy: "allkeys-lfu", maxMemory: "5", kinds: ["replica", "eviction"] },
    { role: "", policy: "", maxMemory: "", kinds: ["replica"] },
  ]) {
    const found = kinds.length === 0 ? "nothing" : kinds.join(" and ");
    it(`finds ${found} wrong with role "${role}", ${policy || "no policy"}, maxmemory ${maxMemory || "unknown"}`, () => {
      const { problems } = decodeHello("1", reply(role, policy, maxMemory));
      expect(problems.map(({ kind }) => kind)).to.deep.equal(kinds);
    });
  }

  it("reads the short reply of a replica without stumbling over the missing record", () => {
    const hello = decodeHello("1", reply("slave", "noeviction", "0", []));
    expect(hello.record.id).to.equal("");
    expect(hello.problems[0]?.message).to.include("slave");
  });
});
