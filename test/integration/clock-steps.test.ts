import { expect } from "chai";
import { QuorumUnreachableError } from "../../src/api/errors.js";
import { LockManager } from "../../src/index.js";
import type { RecordOrder } from "../../src/channel/transport.js";
import { RECORD_KEY } from "../../src/protocol/keys.js";
import { HANDSHAKE_SCRIPT } from "../../src/script/embedded-lua.js";
import { encodeHandshake } from "../../src/script/handshake-codec.js";
import { RedisFleet } from "../../src/testing/index.js";
import type { FleetNode } from "../../src/testing/index.js";
import { allNodes, at, nodeState } from "../support/nodes.js";
import { eventually, rejectionWith } from "../support/settle.js";
import { NO_LIST } from "../support/no-list.js";

const HOUR_MS = 3_600_000;
const OPTIONS = { ttlMs: 30_000, maxTtlMs: 30_000, nodeTimeoutMs: 1_000 } as const;
const SERVER = { clock: true } as const;

/** One handshake of a client that is gone after it. */
async function handshake(node: FleetNode, newId: string, order?: RecordOrder): Promise<void> {
  const args = encodeHandshake({
    number: 1,
    ...{ connectionName: "", previous: undefined, newId, ifAbsent: "fresh", order },
    ...{
      nodeCount: 3,
      maxTtlMs: OPTIONS.maxTtlMs,
      firstTtlMs: 0,
      clockStepMs: 0,
      isDurable: false,
    },
    ...{ wallMs: Date.now(), nodeList: NO_LIST, isLooking: false },
  });
  await node.command("EVAL", HANDSHAKE_SCRIPT, "1", RECORD_KEY, ...args.map(String));
}

function stateOf(node: FleetNode): Promise<unknown> {
  return node.command("HGET", RECORD_KEY, "state");
}

/** Nobody but the holder has the name, as a client finds that starts now and reaches all nodes. */
async function expectRefused(fleet: RedisFleet): Promise<void> {
  const urls = fleet.nodes.map(({ directUrl }) => directUrl);
  await using other = new LockManager(urls, OPTIONS);
  await allNodesSeen(other);
  const error = await rejectionWith(QuorumUnreachableError, other.tryAcquire("name"));
  expect(error.votes.filter(({ fault }) => fault === "quarantined")).not.to.deep.equal([]);
}

function allNodesSeen(locks: LockManager): Promise<void> {
  return eventually(
    "every node is decided on",
    () => locks.nodes.every(({ state }) => state === "ready" || state === "quarantined"),
    20_000,
  );
}

describe("A node's clock that is set", function () {
  this.timeout(60_000);

  it("right, forward, after it came up empty with a slow clock, ends no quarantine", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3, links: true, server: SERVER });
    const [, forgetful, third] = fleet.nodes as [FleetNode, FleetNode, FleetNode];
    await using locks = new LockManager(fleet.urls, OPTIONS);
    await allNodes(locks);
    await third.link.refuse();
    await nodeState(locks, 2, "down");
    const lock = await locks.acquire("name");
    forgetful.clock.jump(-HOUR_MS);
    await forgetful.restart({ keepData: false });
    await nodeState(locks, 1, "quarantined");
    forgetful.clock.jump(HOUR_MS);
    await expectRefused(fleet);
    expect(lock.isHeld).to.equal(true);
  });

  it("back while a new deployment is opened, makes no node that forgot a new one", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3, links: true, server: SERVER });
    const [first, second, third] = fleet.nodes as [FleetNode, FleetNode, FleetNode];
    const ids = ["r0", "r1", "r2"];
    const all = fleet.nodes.map((node, index) => ({ node, id: at(ids, index) }));
    const fellows = ids.join(" ");
    // A client that opens two of the three, and dies.
    for (const { node, id } of all) await handshake(node, id);
    for (const { node, id } of all) await handshake(node, "", { becomes: "opening", id, fellows });
    for (const { node, id } of all.slice(0, 2)) await handshake(node, "", { becomes: "open", id });
    await third.link.refuse();
    await using locks = new LockManager(fleet.urls, OPTIONS);
    const lock = await locks.acquire("name", { waitMs: 20_000 });
    for (const node of [first, second]) await node.link.refuse();
    third.clock.jump(-1_000);
    for (const node of [first, second]) await node.restart({ keepData: false });
    await expectRefused(fleet);
    expect(lock.isHeld).to.equal(true);
    expect(await stateOf(third)).to.equal("opening");
  });
});
