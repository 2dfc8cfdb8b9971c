import { expect } from "chai";
import { Redis as Redis6 } from "ioredis";
import { Redis as Redis5 } from "ioredis-5";
import { Redis as Valkey } from "iovalkey";
import { createClient as createClient5 } from "redis-5";
import { createClient as createClient6 } from "redis-6";
import { LockManager, type NodeConfig } from "../../src/index.js";
import { memoryNodes } from "../../src/memory/index.js";
import { BATCH_SCRIPT } from "../../src/script/batch-script.js";
import {
  RedisFleet,
  transportChecks,
  type CommandConnection,
  type CommandTransport,
} from "../../src/testing/index.js";
import { transportTo } from "../../examples/transports/node-redis.js";
import { at } from "../support/nodes.js";
import { PATIENT } from "../support/patient.js";

/** Nodes of every kind, by the URL of a server. */
const NODES: Readonly<Record<string, (url: string) => NodeConfig>> = {
  "a URL": (url) => url,
  "ioredis 5": (url) => new Redis5(url, { lazyConnect: true }),
  "ioredis 6": (url) => new Redis6(url, { lazyConnect: true }),
  iovalkey: (url) => new Valkey(url, { lazyConnect: true }),
  "node-redis 5": (url) => createClient5({ url }),
  "node-redis 6": (url) => createClient6({ url }),
  "a transport of one's own": (url) => ({ transport: transportTo(url) }),
};

const NAMES = transportChecks(at(memoryNodes(1), 0), at(memoryNodes(1), 0)).map(({ name }) => name);

type Call = CommandConnection["call"];

/** A transport whose calls are other than they should be. */
function altered(url: string, alter: (call: Call) => Call): CommandTransport {
  const transport = transportTo(url);
  return {
    ...transport,
    connect: (events) => {
      const connection = transport.connect(events);
      return {
        call: alter((...words) => connection.call(...words)),
        close: () => connection.close(),
      };
    },
  };
}

const later = (run: () => void, delayMs = 20): void => void setTimeout(run, delayMs);

interface Wrong {
  readonly transport: (url: string) => CommandTransport;
  /** The checks that it fails. */
  readonly fails: readonly string[];
}

const WRONG: Readonly<Record<string, Wrong>> = {
  "swaps replies": {
    transport: (url) =>
      altered(url, (call) => {
        let waiting:
          | { readonly give: (reply: unknown) => void; readonly reply: unknown }
          | undefined;
        return async (...words) => {
          const reply = await call(...words);
          if (words[0] !== "EVAL") return reply;
          return new Promise((resolve) => {
            if (waiting === undefined) {
              const own = { give: resolve, reply };
              waiting = own;
              later(() => {
                if (waiting === own) waiting = undefined;
                resolve(reply);
              });
              return;
            }
            const { give, reply: other } = waiting;
            waiting = undefined;
            give(reply);
            resolve(other);
          });
        };
      }),
    fails: ["gives each request the reply to its own"],
  },
  "loses an error": {
    transport: (url) =>
      altered(
        url,
        (call) =>
          (...words) =>
            call(...words).catch(() => null),
      ),
    fails: ["passes errors of the server on"],
  },
  "resends after NOSCRIPT": {
    transport: (url) =>
      altered(
        url,
        (call) =>
          (...words) =>
            call(...words).catch((error: Error) => {
              if (!error.message.startsWith("NOSCRIPT")) throw error;
              return call("EVAL", BATCH_SCRIPT, ...words.slice(2));
            }),
      ),
    fails: ["passes errors of the server on", "sends nothing twice, nor again after an error"],
  },
  "answers before it sends": {
    transport: (url) =>
      altered(url, (call) => async (...words) => {
        if (words[0] !== "EVAL" || !words.includes("acquire")) return call(...words);
        later(() => void call(...words));
        return Number(words[6]);
      }),
    fails: ["answers a request when the server has executed it"],
  },
  "sends every other request late": {
    transport: (url) =>
      altered(url, (call) => {
        let count = 0;
        return (...words) => {
          if (count++ % 2 === 0) return call(...words);
          return new Promise((resolve, reject) => {
            later(() => void call(...words).then(resolve, reject));
          });
        };
      }),
    fails: ["executes requests in the order in which they are sent"],
  },
  "sends what was not answered once more": {
    transport: (url) =>
      altered(url, (call) => (...words) => {
        if (words.includes("acquire")) later(() => void call(...words).catch(() => {}), 30);
        return call(...words);
      }),
    fails: ["sends nothing twice, nor again after an error"],
  },
  "reads replies as Latin-1": {
    transport: (url) =>
      altered(url, (call) => async (...words) => {
        const reply = await call(...words);
        const read = (each: unknown): unknown =>
          typeof each === "string" ? Buffer.from(each, "utf8").toString("latin1") : each;
        return Array.isArray(reply) ? reply.map(read) : read(reply);
      }),
    fails: ["leaves text as it is"],
  },
  "counts in 32 bits": {
    transport: (url) =>
      altered(url, (call) => async (...words) => {
        const reply = await call(...words);
        const read = (each: unknown): unknown => (typeof each === "number" ? each | 0 : each);
        return Array.isArray(reply) ? reply.map(read) : read(reply);
      }),
    fails: ["leaves large numbers exact"],
  },
  "answers when it is closed": {
    transport: (url) => {
      const transport = transportTo(url);
      return {
        ...transport,
        connect: (events) => {
          const connection = transport.connect(events);
          const open = new Set<(error: Error) => void>();
          return {
            call: (...words) =>
              new Promise((resolve, reject) => {
                open.add(reject);
                connection.call(...words).then(resolve, reject);
              }),
            close: () => {
              connection.close();
              later(() => open.forEach((reject) => reject(new Error("closed"))));
            },
          };
        },
      };
    },
    fails: ["ends when it is closed, and answers nothing from then on"],
  },
  "reconnects by itself": {
    transport: (url) => {
      const transport = transportTo(url);
      return {
        ...transport,
        connect: (events) => {
          let connection = transport.connect({
            onOpen: () => events.onOpen(),
            onClose: () => {
              connection = transport.connect(events);
            },
          });
          return {
            call: (...words) => connection.call(...words),
            close: () => connection.close(),
          };
        },
      };
    },
    fails: ["ends the previous connection, and says so once"],
  },
};

describe("transportChecks", () => {
  let fleet: RedisFleet;
  before(async () => {
    fleet = await RedisFleet.start({ nodes: 1 });
  });
  after(() => fleet.stop());

  const check = async (node: NodeConfig, name: string): Promise<void> => {
    const found = transportChecks(node, at(fleet.nodes, 0)).find((each) => each.name === name);
    await found?.run();
  };

  for (const [what, nodeOf] of Object.entries(NODES)) {
    describe(what, () => {
      for (const name of NAMES) it(name, () => check(nodeOf(at(fleet.urls, 0)), name));
    });
  }

  describe("in memory", () => {
    const [node] = memoryNodes(1);
    if (node === undefined) throw new Error("no node");
    for (const { name, run } of transportChecks(node, node)) it(name, run);
  });

  for (const [how, { transport, fails }] of Object.entries(WRONG)) {
    for (const name of fails) {
      it(`notices a transport that ${how}: ${name}`, async () => {
        const error = await check({ transport: transport(at(fleet.urls, 0)) }, name).then(
          () => undefined,
          (reason: unknown) => reason,
        );
        expect(error).to.be.an("error");
      });
    }
  }

  it("leaves out messages for a transport that has none", () => {
    const { name, connect } = transportTo("redis://127.0.0.1:1");
    const names = transportChecks({ transport: { name, connect } }, at(memoryNodes(1), 0));
    expect(names).to.have.length(NAMES.length - 1);
  });

  it("is what locks need: a manager works over a transport of one's own", async () => {
    const node = { transport: transportTo(at(fleet.urls, 0)) };
    await using holder = new LockManager([node], PATIENT);
    await using waiter = new LockManager([node], PATIENT);
    const lock = await holder.acquire("name");
    const waiting = waiter.acquire("name", { waitMs: 10_000 });
    expect(await waiter.tryAcquire("name")).to.equal(null);
    await lock.release();
    await (await waiting).release();
  });
});
