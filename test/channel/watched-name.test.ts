import { createHash } from "node:crypto";
import { expect } from "chai";
import type { SubscriptionEvents, Transport } from "../../src/channel/transport.js";
import { WatchedName } from "../../src/channel/watched-name.js";
import { watchChannel } from "../../src/protocol/keys.js";
import { ManualClock } from "../support/manual-clock.js";
import { seededEntropy } from "../support/seeded-entropy.js";

const proven = (secret: string, text: string): string =>
  `${createHash("sha1").update(`${secret} ${text}`).digest("hex")} ${text}`;

/** The messages about a name, from nodes that the test plays. */
function opened(hasInboxOnly: readonly number[] = []) {
  const nodes: SubscriptionEvents[] = [];
  const channels: string[] = [];
  const told: (readonly [number, number])[] = [];
  let closedCount = 0;
  const transports = Array.from({ length: 3 }, (_, index): Transport => ({
    name: `node${index}`,
    connect: () => expect.fail("it has connections of its own"),
    ...(hasInboxOnly.includes(index) && { hasInboxOnly: true }),
    subscribe: (channel, events) => {
      channels.push(channel);
      nodes[index] = events;
      return { close: () => void closedCount++ };
    },
  }));
  const runtime = { clock: new ManualClock(), entropy: seededEntropy() };
  const name = new WatchedName(transports, "lock:a", runtime, (index, { fence }) =>
    told.push([index, fence]),
  );
  name.open();
  nodes.forEach((node) => node.onOpen());
  return { name, nodes, channels, told, closed: () => closedCount };
}

describe("WatchedName", () => {
  it("listens on one channel of each node, until it is closed", () => {
    const { name, channels, closed } = opened();
    expect(channels).to.deep.equal(Array(3).fill(watchChannel("lock:a")));
    name.close();
    expect(closed()).to.equal(3);
  });

  it("leaves the one channel of a node that tells nobody who observes to the inbox", () => {
    const { name, nodes, told } = opened([1]);
    expect(nodes[1]).to.equal(undefined);
    name.trust(2, "s");
    nodes[2]?.onMessage(proven("s", "free 1"));
    expect(told).to.deep.equal([[2, 1]]);
  });

  it("hears what a node proves by its own secret, and nothing else", () => {
    const { name, nodes, told } = opened();
    const [first, second] = nodes;
    first?.onMessage(proven("s", "free 1"));
    first?.onMessage(proven("", "free 2"));
    name.trust(0, "s");
    name.trust(1, "t");
    first?.onMessage(proven("s", "free 3"));
    second?.onMessage(proven("t", "free 4"));
    // Forged, from another node, altered, and not what a node says.
    first?.onMessage(`${"0".repeat(40)} free 5`);
    second?.onMessage(proven("s", "free 6"));
    first?.onMessage(proven("s", "free 7").replace("free 7", "free 8"));
    first?.onMessage(proven("s", "held 9"));
    first?.onMessage("20:lock:a");
    name.trust(0, "new");
    first?.onMessage(proven("s", "free 10"));
    expect(told).to.deep.equal([
      [0, 3],
      [1, 4],
    ]);
  });
});
