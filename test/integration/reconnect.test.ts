import { expect } from "chai";
import { Redis } from "ioredis";
import type {
  HandshakeReply,
  HandshakeRequest,
  PreviousConnection,
} from "../../src/channel/transport.js";
import { LockManager, MisconfiguredError } from "../../src/index.js";
import { BatchWire } from "../../src/script/batch-encoder.js";
import { hardened, openRedis } from "../../src/redis/open-client.js";
import { StandaloneTransport } from "../../src/redis/standalone-transport.js";
import { RedisFleet } from "../../src/testing/index.js";
import { at, nodeState } from "../support/nodes.js";
import { PATIENT } from "../support/patient.js";
import { eventually, rejectionWith } from "../support/settle.js";
import { NO_LIST } from "../support/no-list.js";

const REQUEST: Omit<HandshakeRequest, "connectionName" | "previous"> = {
  ...{ number: 1, newId: "id-1", ifAbsent: undefined, nodeCount: 1 },
  ...{ maxTtlMs: 60_000, firstTtlMs: 60_000 },
  ...{
    clockStepMs: 0,
    wallMs: 0,
    isDurable: false,
    nodeList: NO_LIST,
    isLooking: false,
    order: undefined,
  },
};

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

  it("finds the one before it by its name, and ends nobody else's, whatever id it is told", async () => {
    await using fleet = await RedisFleet.start({ nodes: 1 });
    const node = at(fleet.nodes, 0);
    const wire = new BatchWire({ fenceSlackUs: 1 });
    const transport = new StandaloneTransport(
      "node",
      () => openRedis({ ...hardened(5_000), host: "127.0.0.1", port: node.port }),
      wire,
    );
    /** Opens a connection of that name, which shakes hands as the next one after another. */
    const connect = async (connectionName: string, previous?: PreviousConnection) => {
      let [isOpen, isOver] = [false, false];
      const connection = transport.connect({
        onOpen: () => (isOpen = true),
        onClose: () => (isOver = true),
      });
      await eventually("it is open", () => isOpen);
      const reply = await new Promise<HandshakeReply>((resolve) =>
        connection.handshake({ ...REQUEST, connectionName, previous }, resolve),
      );
      if (reply.kind === "failed") return expect.fail(reply.failure.message);
      const known: PreviousConnection = {
        name: connectionName,
        connectionId: reply.connectionId,
      };
      return { known, isOpen: () => !isOver, close: () => connection.close() };
    };
    const [mine, other] = [await connect("quorate-mine"), await connect("quorate-other")];
    const ids = async (): Promise<unknown[]> =>
      String(await node.command("CLIENT", "LIST")).match(/name=quorate-\S+/g) ?? [];
    expect(await ids()).to.have.members(["name=quorate-mine", "name=quorate-other"]);
    // The server runs on, but the id is the other's.
    const wrong = { ...mine.known, connectionId: other.known.connectionId };
    const second = await connect("quorate-second", wrong);
    expect([mine.isOpen(), other.isOpen()]).to.deep.equal([true, true]);
    const third = await connect("quorate-third", mine.known);
    await eventually("it is ended", () => !mine.isOpen());
    expect(await ids()).to.have.members([
      ...["name=quorate-other", "name=quorate-second", "name=quorate-third"],
    ]);
    for (const connection of [other, second, third]) connection.close();
    await eventually("they are closed", () => !third.isOpen() && !second.isOpen());
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
