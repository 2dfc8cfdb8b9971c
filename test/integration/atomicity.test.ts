import { expect } from "chai";
import { LockManager, MisconfiguredError } from "../../src/index.js";
import { RECORD_KEY } from "../../src/protocol/keys.js";
import { RedisFleet } from "../../src/testing/index.js";
import { AlteredServer } from "../support/altered-server.js";
import { examined } from "../support/examined.js";
import { InterleavingServer } from "../support/interleaving-server.js";
import { at } from "../support/nodes.js";
import { PATIENT } from "../support/patient.js";
import { rejectionWith } from "../support/settle.js";

describe("A server whose scripts are not atomic", function () {
  this.timeout(60_000);

  it("is found by the first client, and refused to all until it is another run", async () => {
    await using fleet = await RedisFleet.start({ nodes: 1 });
    const node = at(fleet.nodes, 0);
    await using server = await InterleavingServer.start(node);
    for (const how of ["seen", "known"]) {
      await using locks = new LockManager([server.url], PATIENT);
      locks.on("warning", () => {});
      const error = await rejectionWith(MisconfiguredError, locks.ready());
      expect(error.message, how).to.include("other commands between those of a script");
      server.interleaves = false;
    }
    // A client that connects in another way is refused as well.
    await using other = new LockManager(fleet.urls, PATIENT);
    other.on("warning", () => {});
    await rejectionWith(MisconfiguredError, other.ready());
    await node.command("HSET", RECORD_KEY, "interleaves", "an earlier run");
    await using later = new LockManager(fleet.urls, PATIENT);
    await later.ready();
  });

  it("is refused to all where no script may call INFO", async () => {
    await using fleet = await RedisFleet.start({ nodes: 1 });
    await using interleaving = await InterleavingServer.start(at(fleet.nodes, 0));
    await using server = await AlteredServer.start(
      Number(new URL(interleaving.url).port),
      "noInfo",
    );
    for (const how of ["seen", "known"]) {
      await using locks = new LockManager([{ url: server.url, acceptNoRunId: true }], PATIENT);
      locks.on("warning", () => {});
      const error = await rejectionWith(MisconfiguredError, locks.ready());
      expect(error.message, how).to.include("other commands between those of a script");
      interleaving.interleaves = false;
    }
  });

  it("is looked at once, by the first of its clients", async () => {
    await using fleet = await RedisFleet.start({ nodes: 1 });
    await using server = await InterleavingServer.start(at(fleet.nodes, 0));
    server.interleaves = false;
    for (let clients = 1; clients <= 2; clients++) {
      await using locks = new LockManager([server.url], PATIENT);
      await locks.ready();
      expect(server.lookCount).to.equal(3);
    }
  });

  it("is found by doctor, too", async () => {
    await using fleet = await RedisFleet.start({ nodes: 1 });
    await using server = await InterleavingServer.start(at(fleet.nodes, 0));
    const { findings } = await examined([server.url]);
    const found = findings.find(({ code }) => code === "not-atomic");
    expect(found?.severity).to.equal("error");
    expect(found?.saw).to.include("other commands between those of a script");
    expect(found?.change).to.include("--lua-transaction-mode");
  });

  it("is refused by its name, unless it is said to have been set up well", async () => {
    await using fleet = await RedisFleet.start({ nodes: 1 });
    await using garnet = await AlteredServer.start(at(fleet.nodes, 0).port, "garnet");
    await using locks = new LockManager([garnet.url], PATIENT);
    locks.on("warning", () => {});
    const error = await rejectionWith(MisconfiguredError, locks.ready());
    expect(error.message).to.include("scripts of Garnet are not atomic");
    expect(error.message).to.include("--lua-transaction-mode");
    const { findings } = await examined([garnet.url]);
    expect(findings.map(({ code, severity }) => `${severity} ${code}`)).to.include(
      "error not-atomic",
    );
    const node = { url: garnet.url, atomicScripts: true };
    await using set = new LockManager([node], PATIENT);
    await set.ready();
    const excused = await examined([node]);
    expect(excused.findings.map(({ code, severity }) => `${severity} ${code}`)).to.include(
      "note not-atomic",
    );
  });
});
