import { expect } from "chai";
import * as fc from "fast-check";
import { ChannelClient, MAX_TTL_MS, operation, WINDOW_MS } from "../support/channel-bench.js";
import { FakeNet, FakeServer } from "../support/fake-server.js";
import { ManualClock } from "../support/manual-clock.js";
import { seededEntropy } from "../support/seeded-entropy.js";

/** Servers, clients, and a network that delivers in an order drawn from the seed. */
class Deployment {
  readonly clock = new ManualClock();
  readonly net = new FakeNet();
  readonly servers: FakeServer[];
  readonly clients: ChannelClient[] = [];
  readonly unit: () => number;

  constructor(nodeCount: number, seed = 1) {
    const entropy = seededEntropy(seed);
    this.unit = () => entropy.unit();
    this.servers = Array.from(
      { length: nodeCount },
      (_, index) => new FakeServer(`server${index}`, this.net, this.clock),
    );
  }

  start(servers: readonly FakeServer[] = this.servers): ChannelClient {
    const transports = servers.map(({ transport }) => transport);
    const client = new ChannelClient(this.clock, transports, {}, this.clients.length + 1);
    this.clients.push(client);
    return client;
  }

  /** Delivers up to so many messages. */
  deliver(count: number): void {
    for (let times = 0; times < count; times++) {
      if (!this.net.deliver(this.unit())) return;
      this.clock.flush();
    }
  }

  /** Lets time pass; messages take next to none. */
  run(ms: number): void {
    for (let passedMs = 0; passedMs < ms; passedMs += 5) {
      this.deliver(Infinity);
      this.clock.advance(5);
    }
    this.deliver(Infinity);
  }

  /** Every client asks every node for a lock. */
  acquireEverywhere(ownerId: string): void {
    for (const client of this.clients) {
      for (const channel of client.channels) {
        channel.submit(operation("acquire", ownerId), NOBODY, false);
      }
    }
    this.clock.flush();
  }
}

const NOBODY = { onVote: () => {} };

const seeds = fc.integer({ min: 0, max: 2 ** 31 });

describe("a new deployment", () => {
  for (const nodeCount of [1, 2, 3, 5]) {
    it(`of ${nodeCount} votes as soon as all its nodes are marked`, () => {
      const deployment = new Deployment(nodeCount);
      const client = deployment.start();
      deployment.deliver(Infinity);
      expect(new Set(client.states)).to.deep.equal(new Set(["ready"]));
      for (const { record } of deployment.servers) expect(record?.state).to.equal("open");
    });
  }

  it("votes at once also for clients that come later", () => {
    const deployment = new Deployment(3);
    deployment.start();
    deployment.run(60_000);
    const later = deployment.start();
    deployment.deliver(Infinity);
    expect(later.states).to.deep.equal(["ready", "ready", "ready"]);
  });

  it("admits two clients that start at once, in whatever order messages travel", () => {
    fc.assert(
      fc.property(seeds, fc.nat(30), (seed, headStart) => {
        const deployment = new Deployment(3, seed);
        deployment.start();
        deployment.deliver(headStart);
        deployment.start();
        deployment.run(WINDOW_MS / 2);
        for (const { states } of deployment.clients) {
          expect(states).to.deep.equal(["ready", "ready", "ready"]);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("does not vote while a node is missing; past the window it is in quarantine", () => {
    const deployment = new Deployment(3);
    const [a, b, missing] = deployment.servers as [FakeServer, FakeServer, FakeServer];
    const client = deployment.start();
    missing.dropConnections();
    for (let passedMs = 0; passedMs < WINDOW_MS + 800; passedMs += 5) {
      missing.dropConnections();
      deployment.deliver(Infinity);
      if (passedMs < WINDOW_MS - 10) {
        expect(client.states.slice(0, 2)).to.deep.equal(["connecting", "connecting"]);
      }
      deployment.clock.advance(5);
    }
    expect(client.states.slice(0, 2)).to.deep.equal(["quarantined", "quarantined"]);
    expect([a, b].map(({ record }) => record?.state)).to.deep.equal(["fresh", "fresh"]);
  });

  it("finds a server that is given twice, which votes once", () => {
    const deployment = new Deployment(2);
    const [a, b] = deployment.servers as [FakeServer, FakeServer];
    const client = deployment.start([a, a, b]);
    deployment.run(50);
    expect(client.states.filter((state) => state === "misconfigured")).to.have.length(1);
    expect(client.states[2]).to.not.equal("misconfigured");
  });
});

describe("a node that forgot", () => {
  it("executes no acquire of any client for maxTtlMs, in whatever order messages travel and connections break", () => {
    const step = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({ kind: fc.constant("deliver" as const), count: fc.nat(12) }),
      },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant("acquire" as const) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant("start" as const) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant("drop" as const), index: fc.nat(2) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant("pass" as const), ms: fc.nat(60) }) },
    );
    const steps = fc.array(step, { minLength: 1, maxLength: 25 });
    fc.assert(
      fc.property(seeds, steps, steps, fc.nat(2), (seed, before, after, forgetful) => {
        const deployment = new Deployment(3, seed);
        const server = deployment.servers[forgetful] as FakeServer;
        let hasVoted = false;
        let forgotAtMs: number | undefined;
        const wrong: number[] = [];
        server.onAcquire = () => {
          if (forgotAtMs === undefined) hasVoted = true;
          else if (hasVoted) wrong.push(deployment.clock.steady() - forgotAtMs);
        };
        const play = (all: typeof before): void => {
          for (const todo of all) {
            if (todo.kind === "deliver") deployment.deliver(todo.count);
            else if (todo.kind === "acquire") deployment.acquireEverywhere("a");
            else if (todo.kind === "drop") deployment.servers[todo.index]?.dropConnections();
            else if (todo.kind === "pass") deployment.clock.advance(todo.ms);
            else if (deployment.clients.length < 4) deployment.start();
          }
        };
        deployment.start();
        play(before);
        server.flush();
        forgotAtMs = deployment.clock.steady();
        play(after);
        deployment.acquireEverywhere("b");
        deployment.run(500);
        deployment.acquireEverywhere("c");
        deployment.run(WINDOW_MS);
        deployment.acquireEverywhere("d");
        deployment.deliver(Infinity);
        expect(
          wrong.filter((ms) => ms < MAX_TTL_MS),
          "acquires executed so soon",
        ).to.deep.equal([]);
      }),
      { numRuns: 400 },
    );
  });

  it("executes no acquire where it voted before the other nodes were opened, and forgot that", () => {
    let openedAloneCount = 0;
    let votedCount = 0;
    for (let seed = 1; seed <= 100; seed++) {
      const deployment = new Deployment(3, seed);
      const [a, b, c] = deployment.servers as [FakeServer, FakeServer, FakeServer];
      const executedAtB: string[] = [];
      b.onAcquire = ({ ownerId }) => executedAtB.push(ownerId);
      deployment.start();
      deployment.acquireEverywhere("first");
      while (b.record?.state !== "open") deployment.deliver(1);
      if (a.record?.state === "open" || c.record?.state === "open") continue;
      openedAloneCount++;
      // What would open the other two is lost with their connections.
      for (const server of [a, c]) server.dropConnections();
      deployment.run(20);
      const hadVoted = executedAtB.length > 0;
      if (hadVoted) votedCount++;
      b.flush();
      deployment.start();
      deployment.run(100);
      deployment.acquireEverywhere("second");
      deployment.run(100);
      if (hadVoted) expect(executedAtB, `seed ${seed}`).to.deep.equal(["first"]);
    }
    expect(openedAloneCount, "seeds that bring it about").to.be.above(0);
    expect(votedCount, "seeds in which it voted").to.be.above(0);
  });

  it("votes again for all clients when its quarantine is over", () => {
    const deployment = new Deployment(3);
    deployment.start();
    deployment.deliver(Infinity);
    deployment.servers[1]?.flush();
    deployment.acquireEverywhere("a");
    deployment.deliver(Infinity);
    const later = deployment.start();
    deployment.deliver(Infinity);
    for (const { states } of deployment.clients) {
      expect(states).to.deep.equal(["ready", "quarantined", "ready"]);
    }
    deployment.run(MAX_TTL_MS + 2_000);
    expect(later.states).to.deep.equal(["ready", "ready", "ready"]);
    expect(deployment.clients[0]?.states).to.deep.equal(["ready", "ready", "ready"]);
  });
});
