import { expect } from "chai";
import type { Cluster } from "ioredis";
import { EventEmitter } from "node:events";
import type { HelloReply, HelloRequest } from "../../src/channel/transport.js";
import { BatchWire } from "../../src/redis/batch-wire.js";
import { ClusterTransport } from "../../src/redis/cluster-transport.js";

const WIRE = new BatchWire({ fenceSlackUs: 1, fenceRetentionMs: 1 });
const REQUEST: HelloRequest = {
  previous: undefined,
  newId: "new",
  hadRecord: false,
  nodeCount: 3,
  maxTtlMs: 60_000,
  isDurable: false,
  openId: undefined,
};

/** The hello of a Cluster whose members are listed so. */
function helloOf(nodes: string): Promise<HelloReply> {
  const client = Object.assign(new EventEmitter(), {
    connect: () => Promise.resolve(),
    cluster: () => Promise.resolve(nodes),
    disconnect: () => {},
  });
  const open = (): Cluster => client as unknown as Cluster;
  const events = { onOpen: () => {}, onClose: () => {} };
  const connection = new ClusterTransport("cluster 0", open, WIRE).connect(events);
  return new Promise((resolve) => connection.hello(REQUEST, resolve));
}

async function runIdOf(nodes: string): Promise<string> {
  const hello = await helloOf(nodes);
  if (hello.kind !== "hello") throw new Error("no hello");
  return hello.runId;
}

describe("ClusterTransport", () => {
  const [A, B] = ["aa 127.0.0.1:1 myself,master", "bb 127.0.0.1:2 master"];

  it("is the same Cluster whichever member lists the others", async () => {
    expect(await runIdOf(`${B}\n${A}\n`)).to.equal(await runIdOf(`${A}\n${B}\n`));
  });

  it("is another Cluster with other members", async () => {
    expect(await runIdOf(`${B}\n`)).to.not.equal(await runIdOf(`${A}\n`));
  });

  it("keeps no record, and says what it was asked for", async () => {
    const hello = await helloOf(`${A}\n`);
    if (hello.kind !== "hello") return expect.fail("no hello");
    expect(hello.problems).to.deep.equal([]);
    expect(hello.record).to.include({ state: "unkept", nodeCount: 3, maxTtlMs: 60_000 });
  });
});
