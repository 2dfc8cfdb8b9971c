import { expect } from "chai";
import { Redis } from "ioredis";
import { LockManager, MisconfiguredError } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import { at, nodeState } from "../support/nodes.js";
import { PATIENT } from "../support/patient.js";
import { rejectionWith } from "../support/settle.js";

describe("A new connection to a node", () => {
  it("ends the one before it, but nobody's who has its id in another run of the server", async () => {
    await using fleet = await RedisFleet.start({ nodes: 1, links: true });
    const node = at(fleet.nodes, 0);
    // Ids count from 1 in each run, so there has to be room for strangers below ours.
    for (let count = 0; count < 20; count++) await node.command("PING");
    await using locks = new LockManager(fleet.urls, { ...PATIENT, quarantine: "off" });
    await locks.ready();
    const list = String(await node.command("CLIENT", "LIST"));
    const ours = Number(/^id=(\d+) .*name=quorate/m.exec(list)?.[1]);
    await node.link.refuse();
    node.link.reset();
    await nodeState(locks, 0, "down");
    await node.restart();
    const strangers: Redis[] = [];
    let id = 0;
    while (id < ours) {
      const stranger = new Redis({ port: node.directPort, retryStrategy: null });
      stranger.on("error", () => {});
      strangers.push(stranger);
      id = await stranger.client("ID");
    }
    expect(id).to.equal(ours);
    await node.link.heal();
    await nodeState(locks, 0, "ready");
    const lock = await locks.acquire("name");
    expect(await lock.release()).to.equal("released");
    expect(Number(await strangers.at(-1)?.client("ID"))).to.equal(ours);
    for (const stranger of strangers) stranger.disconnect();
  });

  it("is not for another database than the one that was asked for", async () => {
    await using fleet = await RedisFleet.start({ nodes: 1 });
    await using locks = new LockManager([`${at(fleet.urls, 0)}/99`]);
    locks.on("warning", () => {});
    const error = await rejectionWith(MisconfiguredError, locks.acquire("name"));
    expect(error.message).to.include("DB index is out of range");
    expect(await at(fleet.nodes, 0).command("DBSIZE"), "in database 0").to.equal(0);
  });
});
