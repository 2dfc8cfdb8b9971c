import { EventEmitter } from "node:events";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { Redis } from "ioredis";
import type { Connection, HandshakeReply, HandshakeRequest } from "../../src/channel/transport.js";
import { BatchWire } from "../../src/script/batch-encoder.js";
import { StandaloneTransport, subscribeOnce } from "../../src/redis/standalone-transport.js";
import { RedisProcess, TcpLink } from "../../src/testing/index.js";
import { activeResources } from "../support/active-resources.js";
import { NO_LIST } from "../support/no-list.js";
import { eventually } from "../support/settle.js";

const WIRE = new BatchWire({ fenceSlackUs: 1 });
const NOBODY = Number.MAX_SAFE_INTEGER;

const REQUEST: HandshakeRequest = {
  number: 17,
  connectionName: "quorate-new",
  previous: undefined,
  newId: "new",
  ifAbsent: undefined,
  nodeCount: 3,
  maxTtlMs: 60_000,
  firstTtlMs: 60_000,
  clockStepMs: 5_000,
  wallMs: 1_700_000_000_000,
  isDurable: false,
  nodeList: NO_LIST,
  isLooking: false,
  order: undefined,
};

const PREVIOUS = { name: "quorate-old", connectionId: "7" };

/** What a server without a record answers to the handshake script. */
const ABOUT = [17, "run-a", "1700000001000", "", "atomicScripts runId role=master", ""];

type Answers = Readonly<Record<string, (words: readonly unknown[]) => unknown>>;

/** A client of one server, which answers each command by its name. */
class AnsweringClient extends EventEmitter {
  readonly asked: string[] = [];
  readonly options: { readonly db?: number };
  readonly #answers: Answers;

  constructor(answers: Answers, options: { readonly db?: number } = {}) {
    super();
    this.#answers = answers;
    this.options = options;
  }

  connect(): Promise<void> {
    return Promise.resolve();
  }

  disconnect(): void {}

  select(db: number): Promise<unknown> {
    return this.#answer("SELECT", [db]);
  }

  client(...words: readonly unknown[]): Promise<unknown> {
    return this.#answer(`CLIENT ${String(words[0])}`, words.slice(1));
  }

  eval(): Promise<unknown> {
    return this.#answer("EVAL", []);
  }

  info(section: string): Promise<unknown> {
    return this.#answer("INFO", [section]);
  }

  async #answer(name: string, words: readonly unknown[]): Promise<unknown> {
    this.asked.push([name, ...words].join(" "));
    const answer = this.#answers[name];
    if (answer === undefined) throw new Error(`ERR unknown command '${name}'`);
    return answer(words);
  }
}

/** A client that cannot connect. */
class RefusedClient extends EventEmitter {
  async connect(): Promise<void> {
    this.emit("end");
  }

  disconnect(): void {}
}

const fails = (message: string) => (): never => {
  throw new Error(message);
};

/** Redis 7, on which this is the list of connections. */
function serverWith(connections: string, over: Answers = {}): Answers {
  return {
    "CLIENT ID": () => 9,
    "CLIENT SETNAME": () => "OK",
    "CLIENT LIST": (words) =>
      words.length === 0
        ? connections
        : connections
            .split("\n")
            .filter((line) => line.startsWith(`id=${String(words[1])} `))
            .join("\n"),
    "CLIENT KILL": () => 0,
    EVAL: () => ABOUT,
    ...over,
  };
}

function connectionTo(client: AnsweringClient): Connection {
  // A second connection, over which the server is looked at, is refused.
  const clients = [client];
  const open = (): Redis => (clients.shift() ?? new RefusedClient()) as unknown as Redis;
  const events = { onOpen: () => {}, onClose: () => {} };
  return new StandaloneTransport("node", open, WIRE).connect(events);
}

function handshakeOn(
  connection: Connection,
  over: Partial<HandshakeRequest> = {},
): Promise<HandshakeReply> {
  return new Promise((resolve) => connection.handshake({ ...REQUEST, ...over }, resolve));
}

/** What a handshake asked, and how it ended. */
async function handshakeWith(
  answers: Answers,
  over: Partial<HandshakeRequest> = {},
  options: { readonly db?: number } = {},
): Promise<{ readonly asked: readonly string[]; readonly reply: HandshakeReply }> {
  const client = new AnsweringClient(answers, options);
  const reply = await handshakeOn(connectionTo(client), over);
  return { asked: client.asked, reply };
}

const killsIn = (asked: readonly string[]): readonly string[] =>
  asked.filter((each) => each.startsWith("CLIENT KILL ID ") && !each.endsWith(String(NOBODY)));

describe("The handshake with a server", () => {
  it("names the connection, and finds out first whether it may end others", async () => {
    const { asked, reply } = await handshakeWith(serverWith(""));
    expect(reply).to.include({ kind: "handshake", connectionId: "9", runId: "run-a" });
    expect(asked).to.include.members([
      "CLIENT SETNAME quorate-new",
      `CLIENT LIST ID ${NOBODY}`,
      `CLIENT KILL ID ${NOBODY}`,
    ]);
    expect(killsIn(asked)).to.deep.equal([]);
  });

  const LISTS: readonly (readonly [what: string, connections: string, kills: readonly string[]])[] =
    [
      ["ends the previous connection", "id=7 addr=a name=quorate-old age=1", ["7"]],
      ["leaves a connection that has its number alone", "id=7 addr=a name=quorate-others", []],
      ["leaves a connection alone whose name begins so", "id=7 name=quorate-older", []],
      ["ends nothing where it is gone", "id=8 name=quorate-new", []],
    ];
  for (const [what, connections, kills] of LISTS) {
    it(`${what}, before it is answered`, async () => {
      const { asked, reply } = await handshakeWith(serverWith(connections), { previous: PREVIOUS });
      expect(reply.kind).to.equal("handshake");
      expect(killsIn(asked)).to.deep.equal(kills.map((id) => `CLIENT KILL ID ${id}`));
    });
  }

  const lists = (words: readonly unknown[], all: string): string => {
    if (words.length > 0) throw new Error("ERR syntax error");
    return all;
  };

  it("looks through all connections where one cannot be listed, as before Redis 6.2", async () => {
    const all = "id=3 name=\nid=12 name=quorate-old\nid=9 name=quorate-new";
    const old = serverWith("", { "CLIENT LIST": (words) => lists(words, all) });
    const { asked } = await handshakeWith(old, { previous: PREVIOUS });
    expect(killsIn(asked)).to.deep.equal(["CLIENT KILL ID 12"]);
    const first = await handshakeWith(old);
    expect(first.asked, "no need without a previous one").to.not.include("CLIENT LIST");
  });

  it("does not introduce itself again", async () => {
    const client = new AnsweringClient(serverWith("id=7 name=quorate-old"));
    const connection = connectionTo(client);
    await handshakeOn(connection, { previous: PREVIOUS });
    client.asked.splice(0);
    expect((await handshakeOn(connection, { previous: PREVIOUS })).kind).to.equal("handshake");
    expect(client.asked).to.deep.equal(["CLIENT ID", "EVAL"]);
  });

  it("selects the database before anything else, and fails if it may not", async () => {
    const right = await handshakeWith(serverWith("", { SELECT: () => "OK" }), {}, { db: 3 });
    expect(right.asked[0]).to.equal("SELECT 3");
    expect(right.reply.kind).to.equal("handshake");
    const refusal = "ERR DB index is out of range";
    const wrong = await handshakeWith(
      serverWith("", { SELECT: fails(refusal) }),
      ...([{}, { db: 99 }] as const),
    );
    expect(wrong.reply).to.deep.equal({
      kind: "failed",
      failure: { message: refusal, isMisconfigured: true },
    });
    expect((await handshakeWith(serverWith(""), {}, { db: 0 })).asked).to.not.include("SELECT 0");
  });

  const FAILURES: readonly (readonly [
    what: string,
    answers: Answers,
    message: RegExp,
    isMisconfigured: boolean,
  ])[] = [
    ["a text for an id", { "CLIENT ID": () => "nine" }, /^CLIENT ID is not answered/, false],
    ["a number for a list", { "CLIENT LIST": () => 5 }, /^CLIENT LIST is not answered/, false],
    ["what no script answers", { EVAL: () => "PONG" }, /^the handshake is not answered/, false],
    ["MOVED", { EVAL: fails("MOVED 1 b:2") }, /member of a Redis Cluster/, true],
    [
      "a Sentinel's INFO",
      { EVAL: fails("ERR unknown command 'EVAL'"), INFO: () => "a:b\r\nredis_mode:sentinel\r\n" },
      /^this is a Sentinel/,
      true,
    ],
    [
      "a denied SETNAME",
      { "CLIENT SETNAME": fails("NOPERM no permissions to run the 'client|setname' command") },
      /add \+client\|setname to its ACL/,
      true,
    ],
    [
      "a denied KILL",
      { "CLIENT KILL": fails("NOPERM no permissions to run this command") },
      /add \+client\|kill to its ACL/,
      true,
    ],
  ];
  for (const [what, answers, message, isMisconfigured] of FAILURES) {
    it(`fails for ${what}`, async () => {
      const { reply } = await handshakeWith(serverWith("", answers));
      if (reply.kind !== "failed") return expect.fail("it has not failed");
      expect(reply.failure.message).to.match(message);
      expect(reply.failure.isMisconfigured).to.equal(isMisconfigured);
    });
  }
});

const CHANNEL = "quorate:inbox:a";

describe("subscribeOnce", () => {
  const clients: Redis[] = [];
  // They are the test's own, which the library closes and does not let go of.
  afterEach(() => {
    for (const client of clients.splice(0)) client.removeAllListeners();
  });

  it("leaves no timer that would keep the process alive when the server refuses it", async () => {
    // From here on mocha's own is counted.
    await nextTurn();
    const before = activeResources("Timeout");
    const redis = new Redis({ port: 1, lazyConnect: true });
    redis.options.retryStrategy = () => null;
    clients.push(redis);
    await new Promise<void>((resolve) => {
      const subscription = subscribeOnce(redis, CHANNEL, {
        ...{ onOpen: () => {}, onMessage: () => {} },
        onClose: () => {
          subscription.close();
          resolve();
        },
      });
    });
    expect(redis.status).to.equal("end");
    // Those of connections that ended before may have come to their end, too.
    expect(activeResources("Timeout")).to.be.at.most(before);
  });

  describe("on a server", () => {
    let server: RedisProcess;
    before(async () => {
      server = await RedisProcess.start();
      for (const [user, channels] of [
        ["hears", "allchannels"],
        ["deaf", "resetchannels"],
      ] as const) {
        await server.command("ACL", "SETUSER", user, "ON", ">secret", "+@all", channels);
      }
    });
    after(() => server.stop());

    function subscribe(username: string, { port }: { readonly port: number } = server) {
      const redis = new Redis({ port, username, password: "secret", lazyConnect: true });
      redis.options.retryStrategy = () => null;
      clients.push(redis);
      const told: string[] = [];
      const subscription = subscribeOnce(
        redis,
        CHANNEL,
        {
          onOpen: () => told.push("open"),
          onMessage: (message) => told.push(message),
          onClose: () => told.push("closed"),
        },
        200,
      );
      return { told, subscription, redis };
    }

    it("tells of messages once it is open, and of none when it was closed", async () => {
      const { told, subscription, redis } = subscribe("hears");
      await eventually("it is open", () => told.includes("open"));
      await server.command("PUBLISH", CHANNEL, "handshake");
      await eventually("it was told", () => told.includes("handshake"));
      subscription.close();
      await eventually("the connection has ended", () => redis.status === "end");
      expect(told).to.deep.equal(["open", "handshake"]);
    });

    it("is closed, once, if the server does not let it subscribe", async () => {
      const { told, redis } = subscribe("deaf");
      await eventually("the connection has ended", () => redis.status === "end");
      expect(told).to.deep.equal(["closed"]);
    });

    it("is closed, once, if its connection breaks", async () => {
      const { told, redis } = subscribe("hears");
      await eventually("it is open", () => told.includes("open"));
      await server.command("CLIENT", "KILL", "TYPE", "pubsub");
      await eventually("the connection has ended", () => redis.status === "end");
      expect(told).to.deep.equal(["open", "closed"]);
    });

    it("is closed, once, if it is forgotten without a word, and not as long as it is confirmed", async () => {
      await using link = await TcpLink.start({ targetPort: server.port });
      const { told, redis } = subscribe("hears", link);
      await eventually("it is open", () => told.includes("open"));
      await sleep(1_000);
      expect(told).to.deep.equal(["open"]);
      link.blackhole("toClient");
      await eventually("the connection has ended", () => redis.status === "end");
      expect(told).to.deep.equal(["open", "closed"]);
    });

    it("is closed if the server accepts it and answers nothing", async () => {
      await using link = await TcpLink.start({ targetPort: server.port });
      link.blackhole("toClient");
      const { told, redis } = subscribe("hears", link);
      await eventually("the connection has ended", () => redis.status === "end");
      expect(told).to.deep.equal(["closed"]);
    });
  });
});

describe("StandaloneTransport", () => {
  const clients: Redis[] = [];
  // As above.
  afterEach(() => {
    for (const client of clients.splice(0)) client.removeAllListeners();
  });

  it("listens anew where its address leads to another server, and not where it leads to the same", async () => {
    await using former = await RedisProcess.start();
    await using next = await RedisProcess.start();
    let { port } = former;
    const open = (): Redis => {
      const redis = new Redis({ port, lazyConnect: true, retryStrategy: () => null });
      clients.push(redis);
      return redis;
    };
    const transport = new StandaloneTransport("node", open, WIRE);
    const connected = async (): Promise<void> => {
      const connection = await new Promise<Connection>((resolve) => {
        const opening = transport.connect({ onOpen: () => resolve(opening), onClose: () => {} });
      });
      await handshakeOn(connection);
      connection.close();
    };
    const told: string[] = [];
    await connected();
    const subscription = transport.subscribe(CHANNEL, {
      onOpen: () => told.push("open"),
      onMessage: () => {},
      onClose: () => told.push("closed"),
    });
    await eventually("it is open", () => told.includes("open"));
    await connected();
    await sleep(100);
    expect(told).to.deep.equal(["open"]);
    ({ port } = next);
    await connected();
    await eventually("it is closed", () => told.includes("closed"));
    subscription.close();
    expect(told).to.deep.equal(["open", "closed"]);
  });
});
