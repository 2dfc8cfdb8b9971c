import { expect } from "chai";
import { EventEmitter } from "node:events";
import type { Redis } from "ioredis";
import {
  NodeCredentials,
  renewalDelayMs,
  type Credentials,
  type CredentialsProvider,
} from "../../src/redis/credentials.js";
import { ManualClock } from "../support/manual-clock.js";
import { written } from "../support/settle.js";

const TIMEOUT_MS = 2_000;

/** A client that notes how it authenticates, and connects as one of ioredis does. */
class NotingClient extends EventEmitter {
  readonly said: string[] = [];
  mode = "normal";
  condition: { auth?: readonly string[]; protocol: number } = { protocol: 3 };
  refusal: string | undefined;
  readonly connector = {
    connect: async (): Promise<void> => {
      this.said.push(`connect as ${this.condition.auth?.join(":")}`);
    },
  };

  async connect(): Promise<void> {
    try {
      await this.connector.connect();
      this.emit("ready");
    } catch (error) {
      this.said.push((error as Error).message);
      this.emit("end");
    }
  }

  async auth(username: string, password: string): Promise<void> {
    this.said.push(`auth ${username}:${password}`);
    if (this.refusal !== undefined) throw new Error(this.refusal);
  }

  disconnect(): void {
    this.said.push("disconnect");
    this.emit("end");
  }

  duplicate(): NotingClient {
    const copy = new NotingClient();
    opened.push(copy);
    return copy;
  }
}

const opened: NotingClient[] = [];

class World {
  readonly clock = new ManualClock();
  readonly warnings: string[] = [];
  readonly credentials: NodeCredentials;

  constructor(provider: CredentialsProvider) {
    this.credentials = new NodeCredentials("a:6379", provider, TIMEOUT_MS, {
      clock: this.clock,
      entropy: { unit: () => 0.5, id: () => "" },
      warn: (message) => this.warnings.push(message),
    });
  }

  /** @param over how the client differs */
  open(over: Partial<NotingClient> = {}): NotingClient {
    const client = Object.assign(new NotingClient(), over);
    opened.push(client);
    this.credentials.guard(client as unknown as Redis);
    void client.connect();
    return client;
  }

  in(ms: number): Date {
    return new Date(this.clock.wallUs() / 1_000 + ms);
  }
}

/** Answers that are given by hand, in the order of the calls. */
function byHand(): { readonly provider: CredentialsProvider; readonly calls: Answer[] } {
  const calls: Answer[] = [];
  const provider = (): Promise<Credentials> =>
    new Promise((resolve, reject) => calls.push({ resolve, reject }));
  return { provider, calls };
}

interface Answer {
  readonly resolve: (credentials: Credentials) => void;
  readonly reject: (error: Error) => void;
}

/** One to each call: p1, p2, ..., valid for so long. */
function counting(world: () => World, lifeMs?: number): CredentialsProvider & { count: number } {
  const provider = async (): Promise<Credentials> => ({
    username: "app",
    password: `p${++counted.count}`,
    expiresAt: lifeMs === undefined ? undefined : world().in(lifeMs),
  });
  const counted = Object.assign(provider, { count: 0 });
  return counted;
}

describe("Credentials that expire", () => {
  afterEach(() => {
    for (const client of opened.splice(0)) client.disconnect();
  });

  it("are renewed at 80 % of the rest, within 5 %, and never without a pause", () => {
    for (const [restMs, unit, delayMs] of [
      [100_000, 0, 75_000],
      [100_000, 0.5, 80_000],
      [100_000, 1, 85_000],
      [1, 0.5, 100],
      [0, 0.5, 1_000],
      [-60_000, 0.5, 1_000],
    ] as const) {
      expect(renewalDelayMs(restMs, unit), `${restMs} ms`).to.be.closeTo(delayMs, 1e-6);
    }
  });

  it("are asked for before each connection, and authenticate all of them again", async () => {
    const provider = counting(() => world, 100_000);
    const world: World = new World(provider);
    const first = world.open();
    await written();
    world.clock.advance(40_000);
    const second = world.open();
    await written();
    expect([first.said, second.said]).to.deep.equal([["connect as app:p1"], ["connect as app:p2"]]);
    world.clock.advance(39_000);
    await written();
    expect(provider.count).to.equal(2);
    world.clock.advance(2_000);
    await written();
    expect(first.said).to.deep.equal(["connect as app:p1", "auth app:p3"]);
    expect(second.said).to.deep.equal(["connect as app:p2", "auth app:p3"]);
    world.clock.advance(80_001);
    await written();
    expect(first.said.at(-1)).to.equal("auth app:p4");
    expect(world.warnings).to.deep.equal([]);
    for (const client of [first, second]) client.disconnect();
    expect(world.clock.timerCount, "nothing is renewed that is not open").to.equal(0);
  });

  it("are renewed before the first of them expires, whichever connection came last", async () => {
    const { provider, calls } = byHand();
    const world = new World(provider);
    const answer = async (call: number, lifeMs: number): Promise<void> => {
      const credentials = { username: "app", password: `p${call + 1}` };
      calls[call]?.resolve({ ...credentials, expiresAt: world.in(lifeMs) });
      await written();
    };
    const first = world.open();
    await answer(0, 100_000);
    world.clock.advance(1_000);
    const second = world.open();
    await answer(1, 10_000);
    expect(second.said).to.deep.equal(["connect as app:p2"]);
    world.clock.advance(7_999);
    expect(calls).to.have.length(2);
    world.clock.advance(2);
    await answer(2, 100_000);
    for (const client of [first, second]) expect(client.said.at(-1)).to.equal("auth app:p3");
    expect(world.clock.timerCount, "one renewal for all").to.equal(1);
    // One that comes while the others are authenticated, too.
    let onAuthenticated = (): void => {};
    first.auth = () => new Promise((resolve) => (onAuthenticated = resolve));
    world.clock.advance(80_001);
    await answer(3, 100_000);
    const third = world.open();
    await answer(4, 10_000);
    onAuthenticated();
    await written();
    world.clock.advance(8_001);
    await answer(5, 100_000);
    expect(third.said).to.deep.equal(["connect as app:p5", "auth app:p6"]);
  });

  it("are not renewed if they do not expire", async () => {
    const world: World = new World(counting(() => world));
    world.open();
    await written();
    expect(world.clock.timerCount).to.equal(0);
  });

  it("are asked for once for all that wait, and not again before that is answered", async () => {
    const { provider, calls } = byHand();
    const world = new World(provider);
    const [one, other] = [world.open(), world.open()];
    const copy = one.duplicate();
    void copy.connect();
    await written();
    expect(calls).to.have.length(1);
    one.disconnect();
    world.clock.advance(TIMEOUT_MS + 1);
    expect(world.warnings).to.deep.equal(["a:6379: credentials() has not answered within 2000 ms"]);
    expect(world.credentials.problem).to.include("not answered");
    calls[0]?.resolve({ username: "app", password: "late" });
    await written();
    expect(one.said).to.deep.equal(["disconnect", "Connection is closed."]);
    expect(other.said).to.deep.equal(["connect as app:late"]);
    expect(copy.said, "a copy is asked for, too").to.deep.equal(["connect as app:late"]);
    expect(world.credentials.problem).to.equal(undefined);
  });

  it("are told to be overdue although the connections that asked for them have ended", async () => {
    const { provider, calls } = byHand();
    const world = new World(provider);
    world.open().disconnect();
    expect(world.clock.timerCount, "nobody waits").to.equal(0);
    world.clock.advance(TIMEOUT_MS - 1);
    const next = world.open();
    await written();
    expect(calls).to.have.length(1);
    world.clock.advance(2);
    expect(world.warnings).to.deep.equal(["a:6379: credentials() has not answered within 2000 ms"]);
    next.disconnect();
    world.clock.advance(1);
    world.open();
    world.clock.advance(1);
    expect(world.warnings, "told once").to.have.length(1);
  });

  it("are not overdue where another connection asks just as they come", async () => {
    for (let ticks = 0; ticks < 12; ticks++) {
      const world: World = new World(counting(() => world));
      world.open();
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
      world.open();
      await written();
      world.clock.advance(TIMEOUT_MS + 1);
      expect(world.warnings, `${ticks} ticks later`).to.deep.equal([]);
      expect(world.clock.timerCount).to.equal(0);
    }
  });

  it("end a connection that cannot be opened without them", async () => {
    const { provider, calls } = byHand();
    const world = new World(provider);
    const client = world.open();
    calls[0]?.reject(new Error("the token service is away"));
    await written();
    expect(client.said).to.deep.equal(["credentials() failed: the token service is away"]);
    const another = world.open();
    calls[1]?.reject(new Error("the token service is away"));
    await written();
    expect(another.said).to.have.length(1);
    expect(world.warnings, "told once").to.deep.equal([
      "a:6379: credentials() failed: the token service is away",
    ]);
  });

  it("leave open what is open while there are no new ones, and ask again", async () => {
    const { provider, calls } = byHand();
    const world = new World(provider);
    const client = world.open();
    calls[0]?.resolve({ username: "app", password: "p", expiresAt: world.in(10_000) });
    await written();
    world.clock.advance(8_001);
    expect(calls).to.have.length(2);
    // A hang, which no further call follows.
    world.clock.advance(60_000);
    expect(calls).to.have.length(2);
    expect(world.warnings).to.have.length(1);
    calls[1]?.reject(new Error("gone"));
    await written();
    expect(world.credentials.problem).to.equal("credentials() failed: gone");
    for (let failures = 2; failures < 5; failures++) {
      world.clock.advance(1_000);
      expect(calls).to.have.length(failures + 1);
      calls[failures]?.reject(new Error("gone"));
      await written();
    }
    expect(client.said).to.deep.equal(["connect as app:p"]);
    world.clock.advance(1_000);
    calls[5]?.resolve({ username: "app", password: "q", expiresAt: world.in(10_000) });
    await written();
    expect(client.said).to.deep.equal(["connect as app:p", "auth app:q"]);
    expect(world.credentials.problem).to.equal(undefined);
    expect(world.warnings).to.have.length(2);
    client.disconnect();
    expect(world.clock.timerCount).to.equal(0);
  });

  it("may be refused: the connection stays, and they are asked for again", async () => {
    const provider = counting(() => world, 10_000);
    const world: World = new World(provider);
    const client = world.open({ refusal: "WRONGPASS invalid username-password pair" });
    await written();
    world.clock.advance(8_001);
    await written();
    expect(world.credentials.problem).to.include("refused: WRONGPASS");
    expect(client.said).to.deep.equal(["connect as app:p1", "auth app:p2"]);
    client.refusal = undefined;
    world.clock.advance(100);
    await written();
    expect(client.said.at(-1)).to.equal("auth app:p3");
    expect(world.credentials.problem).to.equal(undefined);
    expect(world.warnings).to.have.length(1);
  });

  it("are given to a subscription by a new connection where it executes no AUTH", async () => {
    const world: World = new World(counting(() => world, 10_000));
    const [new3, old] = [
      world.open({ mode: "subscriber" }),
      world.open({ mode: "subscriber", condition: { protocol: 2 } }),
    ];
    await written();
    world.clock.advance(8_001);
    await written();
    expect(new3.said.at(-1)).to.equal("auth app:p2");
    expect(old.said).to.deep.equal(["connect as app:p1", "disconnect"]);
  });

  for (const [what, answer] of [
    ["nothing", undefined],
    ["no password", { username: "app" }],
    ["an empty user name", { username: "", password: "secret" }],
    ["a time that is none", { username: "app", password: "secret", expiresAt: new Date("never") }],
    ["a number as time", { username: "app", password: "secret", expiresAt: 5 }],
  ] as const) {
    it(`are refused if they are ${what}, without showing them`, async () => {
      const world = new World(() => Promise.resolve(answer as unknown as Credentials));
      world.open();
      await written();
      expect(world.warnings.join("")).to.match(/credentials\(\) failed: `\w+` must be/);
      expect(world.warnings.join("")).not.to.include("secret");
    });
  }
});
