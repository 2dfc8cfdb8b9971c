import { EventEmitter } from "node:events";
import { expect } from "chai";
import { ConfigError } from "../../src/cli/exit-codes.js";
import { checkNodesSeen, checkSameNodes, noteDifferences } from "../../src/cli/nodes-changed.js";
import type { LockManager } from "../../src/index.js";
import type { ChannelState } from "../../src/channel/channel-state.js";

const DIFFERENCE = "others use a, here b";
const LIMIT_MS = 60_000;

class Manager extends EventEmitter {
  nodes: readonly { readonly state: ChannelState }[] = [];

  /** Shows these states. */
  show(...states: readonly ChannelState[]): void {
    this.nodes = states.map((state) => ({ state }));
    this.emit("node");
  }

  differs(): void {
    this.emit("warning", { code: "QUORATE_NODE_LIST_MISMATCH", message: DIFFERENCE });
  }
}

function opened(): { readonly manager: Manager; readonly locks: LockManager } {
  const manager = new Manager();
  const locks = manager as unknown as LockManager;
  noteDifferences(locks);
  return { manager, locks };
}

/** What it rejects with, "none" if it resolves, "waits" if it does neither for now. */
async function outcomeOf(promise: Promise<void>): Promise<string> {
  const isSettled = promise.then(
    () => "none",
    (error: unknown) => (error instanceof ConfigError ? error.message : "another error"),
  );
  return await Promise.race([
    isSettled,
    new Promise<string>((resolve) => setImmediate(() => resolve("waits"))),
  ]);
}

describe("A command that takes locks, and the nodes of the others", () => {
  const MESSAGE = `${DIFFERENCE}; while they are being changed, pass --nodes-changed`;

  it("refuses those that differ, unless it was told that they are being changed", () => {
    const { manager, locks } = opened();
    checkSameNodes(locks, undefined);
    manager.emit("warning", { code: "QUORATE_CLOCK", message: "another" });
    checkSameNodes(locks, undefined);
    manager.differs();
    expect(() => checkSameNodes(locks, undefined)).to.throw(ConfigError, MESSAGE);
    expect(() => checkSameNodes(locks, false)).to.throw(ConfigError, MESSAGE);
    checkSameNodes(locks, true);
  });

  it("tells managers apart", () => {
    const [one, other] = [opened(), opened()];
    one.manager.differs();
    checkSameNodes(other.locks, undefined);
  });

  const SEEN: readonly ChannelState[] = ["ready", "quarantined", "down", "misconfigured"];
  for (const state of SEEN) {
    it(`waits until each node was seen, the last one as ${state}`, async () => {
      const { manager, locks } = opened();
      manager.show("connecting", "connecting", "connecting");
      const check = checkNodesSeen(locks, undefined, LIMIT_MS);
      for (const states of [
        ["ready", "connecting", "connecting"],
        ["ready", "connecting", state],
      ] as const) {
        manager.show(...states);
        expect(await outcomeOf(check), states.join()).to.equal("waits");
      }
      manager.differs();
      manager.show("ready", state, state);
      expect(await outcomeOf(check)).to.equal(MESSAGE);
      expect(manager.listenerCount("node")).to.equal(0);
    });
  }

  it("does not wait for nodes that were seen, or if they are being changed", async () => {
    const { manager, locks } = opened();
    manager.show("ready", "down");
    expect(await outcomeOf(checkNodesSeen(locks, undefined, LIMIT_MS))).to.equal("none");
    manager.show("connecting");
    manager.differs();
    expect(await outcomeOf(checkNodesSeen(locks, true, LIMIT_MS))).to.equal("none");
    expect(manager.listenerCount("node")).to.equal(0);
  });

  it("does not wait when a signal has ended it, before or while it waits", async () => {
    const { manager, locks } = opened();
    manager.show("connecting");
    await checkNodesSeen(locks, undefined, LIMIT_MS, AbortSignal.abort());
    const controller = new AbortController();
    const check = checkNodesSeen(locks, undefined, LIMIT_MS, controller.signal);
    expect(await outcomeOf(check)).to.equal("waits");
    controller.abort();
    await check;
    expect(manager.listenerCount("node")).to.equal(0);
  });

  it("does not wait for longer than it was told", async () => {
    const { manager, locks } = opened();
    manager.show("connecting");
    await checkNodesSeen(locks, undefined, 5);
    expect(manager.listenerCount("node")).to.equal(0);
    manager.differs();
    const check = checkNodesSeen(locks, undefined, 5);
    await check.then(
      () => expect.fail("it has resolved"),
      (error: unknown) => expect(error).to.be.instanceOf(ConfigError),
    );
  });
});
