import { expect } from "chai";
import { openQuorum, type QuorumSettings } from "../../src/nodes/open-quorum.js";
import type { ConnectionEvents, HandshakeRequest, Transport } from "../../src/channel/transport.js";
import type { RecordState } from "../../src/protocol/record.js";
import { operation } from "../support/channel-bench.js";
import { ManualClock } from "../support/manual-clock.js";
import { at } from "../support/nodes.js";
import { handshakeReply, ScriptedConnection } from "../support/scripted-transport.js";
import { seededEntropy } from "../support/seeded-entropy.js";

const SETTINGS: QuorumSettings = {
  nodeTimeoutMs: 500,
  ...{ maxTtlMs: 60_000, raisesTtl: true, firstTtlMs: 60_000, usualTtlMs: 10_000 },
  clockStepMs: 0,
  driftFactor: 0.01,
  quarantine: true,
  bootstrap: true,
  allowEviction: false,
  keyPrefix: "lock:",
  hasInbox: true,
};

/** A node that opens at once and shows the same record at every look; operations are the test's. */
class Node implements Transport {
  readonly name: string;
  readonly connections: ScriptedConnection[] = [];
  readonly #clock: ManualClock;
  readonly #state: RecordState;
  readonly #answers: boolean;

  constructor(index: number, clock: ManualClock, state: RecordState, answers = true) {
    this.name = `node${index}:6379`;
    this.#clock = clock;
    this.#state = state;
    this.#answers = answers;
  }

  connect(events: ConnectionEvents): ScriptedConnection {
    const connection = new ScriptedConnection(events);
    this.connections.push(connection);
    if (!this.#answers) return connection;
    const [state, runId] = [this.#state, `run of ${this.name}`];
    connection.handshake = ({ number }: HandshakeRequest, reply) =>
      this.#clock.defer(() => reply(handshakeReply({ state, nodeCount: 3 }, { number, runId })));
    this.#clock.defer(() => events.onOpen());
    return connection;
  }
}

function open(states: readonly (RecordState | "silent")[], over: Partial<QuorumSettings> = {}) {
  const clock = new ManualClock();
  const nodes = states.map((state, index) => {
    const isSilent = state === "silent";
    return new Node(index, clock, isSilent ? "fresh" : state, !isSilent);
  });
  const quorum = openQuorum(
    nodes.map((transport) => ({ transport, isDurable: false })),
    { clock, entropy: seededEntropy(1) },
    { ...SETTINGS, ...over },
    {
      onGranted: () => {},
      onExtended: () => {},
      onLost: () => {},
      onReleased: () => {},
      onNodeWarning: () => {},
      onNodeState: () => {},
    },
  );
  clock.advance(0);
  return { clock, nodes, ...quorum };
}

describe("openQuorum: how long a node is waited for", () => {
  for (const [nodeTimeoutMs, giveUpMs] of [
    [100, 2_000],
    [500, 2_500],
    [5_000, 25_000],
  ] as const) {
    it(`suspects a node after ${nodeTimeoutMs} ms, and connects anew after ${giveUpMs} ms`, () => {
      const { clock, nodes, channels } = open(["open", "open", "open"], { nodeTimeoutMs });
      const [channel, node] = [at(channels, 0), at(nodes, 0)];
      expect(channel.state).to.equal("ready");
      channel.submit(operation("acquire", "a"), { onVote: () => {} }, false);
      clock.advance(nodeTimeoutMs - 1);
      expect(channel.state).to.equal("ready");
      clock.advance(1);
      expect(channel.state).to.equal("suspected");
      clock.advance(giveUpMs - nodeTimeoutMs - 1);
      expect(node.connections).to.have.length(1);
      clock.advance(1_002);
      expect(at(node.connections, 0).isClosed).to.equal(true);
      expect(node.connections).to.have.length(2);
      expect(channel.state).to.equal("ready");
    });
  }

  for (const [maxTtlMs, nodeTimeoutMs, windowMs] of [
    [60_000, 500, 2_000],
    [60_000, 1_000, 4_000],
    [2_000, 500, 1_000],
    [3_000, 5_000, 1_500],
  ] as const) {
    it(`waits ${windowMs} ms for the nodes of a new deployment (maxTtlMs ${maxTtlMs}, nodeTimeoutMs ${nodeTimeoutMs})`, () => {
      const { clock, channels } = open(["fresh", "fresh", "silent"], { maxTtlMs, nodeTimeoutMs });
      clock.advance(windowMs - 1);
      expect(at(channels, 0).state).to.equal("connecting");
      clock.advance(1);
      expect(at(channels, 0).state).to.equal("quarantined");
    });
  }

  it("leaves no timer behind when it is closed, whatever it is waiting for", async () => {
    for (const passedMs of [0, 1_000, 4_000, 30_000]) {
      const quorum = open(["fresh", "fresh", "silent"]);
      const { clock } = quorum;
      clock.advance(passedMs);
      const closing = quorum.close(0);
      clock.advance(0);
      await closing;
      expect(clock.timerCount, `after ${passedMs} ms`).to.equal(0);
    }
  });
});
