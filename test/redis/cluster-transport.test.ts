import { expect } from "chai";
import type { Cluster } from "ioredis";
import { EventEmitter } from "node:events";
import type { HandshakeReply, HandshakeRequest } from "../../src/channel/transport.js";
import { BatchWire } from "../../src/redis/batch-wire.js";
import { ClusterTransport } from "../../src/redis/cluster-transport.js";
import { NO_LIST } from "../support/no-list.js";

const WIRE = new BatchWire({ fenceSlackUs: 1 });
const REQUEST: HandshakeRequest = {
  number: 1,
  connectionName: "quorate-one",
  previous: undefined,
  newId: "new",
  ifAbsent: undefined,
  nodeCount: 3,
  ...{ maxTtlMs: 0, firstTtlMs: 60_000 },
  clockStepMs: 5_000,
  wallMs: 1_700_000_000_000.5,
  isDurable: false,
  nodeList: NO_LIST,
  isLooking: false,
  order: undefined,
};

/** The handshake of a Cluster whose members are listed so. */
function handshakeOf(nodes: string): Promise<HandshakeReply> {
  const client = Object.assign(new EventEmitter(), {
    connect: () => Promise.resolve(),
    cluster: () => Promise.resolve(nodes),
    time: () => Promise.resolve(["1700000000", "123456"]),
    disconnect: () => {},
  });
  const open = (): Cluster => client as unknown as Cluster;
  const events = { onOpen: () => {}, onClose: () => {} };
  const connection = new ClusterTransport("cluster 0", open, WIRE).connect(events);
  return new Promise((resolve) => connection.handshake(REQUEST, resolve));
}

async function runIdOf(nodes: string): Promise<string> {
  const handshake = await handshakeOf(nodes);
  if (handshake.kind !== "handshake") throw new Error("no handshake");
  return handshake.runId;
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
    const handshake = await handshakeOf(`${A}\n`);
    if (handshake.kind !== "handshake") return expect.fail("no handshake");
    expect(handshake.problems).to.deep.equal([]);
    expect(handshake.nodeTimeMs).to.equal(1_700_000_000_123);
    expect(handshake.record).to.include({ state: "unkept", nodeCount: 3, maxTtlMs: 60_000 });
  });
});
