import { once } from "node:events";
import { createServer, request as send, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import * as fc from "fast-check";
import { Redis } from "ioredis";
import {
  answerRefusal,
  assertNotStale,
  FenceGate,
  fencingHeaders,
  MalformedTokenError,
  MemoryFenceStore,
  parseFencingHeaders,
  RedisFence,
  StaleTokenError,
} from "../../src/fencing/index.js";
import { RedisProcess } from "../../src/testing/index.js";
import { expectFenced, plannedWrites, token } from "../support/fenced-writes.js";
import { rejectionOf, rejectionWith } from "../support/settle.js";

const T = 1_790_000_000_000_000;
const grant = (fencingToken: number, name = "invoice:42") => ({ name, fencingToken });
const wellFormedName = fc
  .string({ unit: "grapheme", minLength: 1 })
  .filter((name) => !/\p{Surrogate}/u.test(name));

describe("The headers of a grant", () => {
  it("come back as they were, whatever the name", () => {
    fc.assert(
      fc.property(wellFormedName, token, (name, fencingToken) => {
        const headers = fencingHeaders({ name, fencingToken });
        expect(parseFencingHeaders(headers)).to.deep.equal({ name, fencingToken });
        expect(parseFencingHeaders(new Headers(headers))).to.deep.equal({ name, fencingToken });
      }),
      { numRuns: 500 },
    );
  });

  it("are not made without a good token", () => {
    expect(() => fencingHeaders({ name: "a", fencingToken: undefined })).to.throw(TypeError);
    expect(() => fencingHeaders(grant(2 ** 53))).to.throw(RangeError, "`fencingToken`");
  });

  const NO_TOKENS = [
    "",
    "0",
    "-1",
    "07",
    "7.0",
    "7e3",
    "0x7",
    " 7",
    "7 ",
    "7, 8",
    "7,7",
    "+7",
    "NaN",
  ];
  for (const value of [
    ...NO_TOKENS,
    "9007199254740992",
    "10000000000000000",
    "١",
    ["7", "8"],
    [],
  ]) {
    it(`are refused with the token ${JSON.stringify(value)}`, () => {
      const headers = { "fencing-token": value, "fencing-resource": "a" };
      expect(() => parseFencingHeaders(headers))
        .to.throw(MalformedTokenError, /^`fencing-token` is .*\. Send a single decimal integer/)
        .and.include({ code: "QUORATE_MALFORMED_TOKEN", source: "fencing-token" });
    });
  }

  for (const value of ["", "a, b", "a,a", "a b", "%", "%f", "%ff", "ä", "a\tb", ["a", "b"]]) {
    it(`are refused with the resource ${JSON.stringify(value)}`, () => {
      const headers = { "fencing-token": "7", "fencing-resource": value };
      expect(() => parseFencingHeaders(headers))
        .to.throw(
          MalformedTokenError,
          /^`fencing-resource` is .*\. Send a single percent-encoded name/,
        )
        .and.have.property("source", "fencing-resource");
    });
  }

  it("are not looked for in what can have none", () => {
    for (const other of [undefined, null, "7", ["7"]]) {
      expect(() => parseFencingHeaders(other as never)).to.throw(
        TypeError,
        "`headers` must be the headers",
      );
    }
  });

  it("are refused if there are none", () => {
    expect(() => parseFencingHeaders({})).to.throw(
      MalformedTokenError,
      "`fencing-resource` is missing. Send a single percent-encoded name",
    );
    expect(() => parseFencingHeaders(new Headers({ "fencing-resource": "a" })))
      .to.throw(
        MalformedTokenError,
        "`fencing-token` is missing. Send a single decimal integer from 1 to 2^53 - 1",
      )
      .and.have.property("source", "fencing-token");
  });

  it("hold a number whatever stands in them, or are refused", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (token, resource) => {
        const headers = { "fencing-token": token, "fencing-resource": resource };
        try {
          expect(String(parseFencingHeaders(headers).fencingToken)).to.equal(token);
        } catch (error) {
          expect(error).to.be.instanceOf(MalformedTokenError);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("A gate", () => {
  it("lets writes to one resource through one after the other", async () => {
    const gate = new FenceGate();
    const events: string[] = [];
    const write = (what: string, until: () => Promise<unknown>) => async (): Promise<string> => {
      events.push(`${what} begins`);
      await until();
      events.push(`${what} ends`);
      return what;
    };
    const soon = (): Promise<unknown> => sleep(1);
    // Others do not wait: else these two would, for each other.
    const older = gate.run(
      grant(1),
      write("older", () => other),
    );
    const newer = gate.run(grant(2), write("newer", soon));
    const late = rejectionWith(StaleTokenError, gate.run(grant(1), write("late", soon)));
    const other = gate.run(grant(1, "other"), write("other", soon));
    expect(await Promise.all([older, newer, other])).to.deep.equal(["older", "newer", "other"]);
    expect(await late).to.include({ fence: 2, fencingToken: 1 });
    const ofOne = events.filter((event) => !event.startsWith("other"));
    expect(ofOne).to.deep.equal(["older begins", "older ends", "newer begins", "newer ends"]);
  });

  it("goes on after a write that fails, which only its own caller hears of", async () => {
    const gate = new FenceGate();
    const failing = gate.run(grant(1), () => Promise.reject(new Error("disk full")));
    const next = gate.run(grant(1), () => "next");
    expect(String(await rejectionOf(failing))).to.include("disk full");
    expect(await next).to.equal("next");
    const store = { lift: () => Promise.reject(new Error("store is down")) };
    let isRun = false;
    const unchecked = new FenceGate({ store }).run(grant(1), () => (isRun = true));
    expect(String(await rejectionOf(unchecked))).to.include("store is down");
    expect(isRun).to.equal(false);
  });

  it("refuses what is no grant and no option", async () => {
    const gate = new FenceGate();
    expect(await rejectionOf(gate.run(grant(0), () => 1))).to.be.instanceOf(RangeError);
    expect(() => new FenceGate({ fences: 1 } as never)).to.throw(TypeError, "`fences`");
    expect(() => new MemoryFenceStore({ retentionMs: -1 })).to.throw(RangeError, "`retentionMs`");
    expect(() => new MemoryFenceStore({ ttl: 1 } as never)).to.throw(TypeError, "`ttl`");
    expect(() => new MemoryFenceStore().lift("a", 0)).to.throw(RangeError);
  });

  it("forgets fences that were not used for their retention, and no others", () => {
    let nowMs = 1_000;
    withClock(
      () => nowMs,
      () => {
        const store = new MemoryFenceStore({ retentionMs: 200 });
        for (const name of ["a", "b", "c"]) store.lift(name, 5);
        nowMs += 120;
        expect(store.lift("a", 4), "a is used again").to.equal(5);
        nowMs += 80;
        expect(store.lift("b", 4), "not over yet").to.equal(5);
        nowMs += 1;
        expect(store.lift("c", 4), "c is forgotten").to.equal(4);
        expect(store.size).to.equal(3);
        nowMs += 201;
        store.lift("d", 1);
        expect(store.size).to.equal(1);
        const forever = new MemoryFenceStore({ retentionMs: Number.POSITIVE_INFINITY });
        forever.lift("a", 5);
        nowMs += 1e12;
        expect(forever.lift("a", 4)).to.equal(5);
      },
    );
  });
});

function withClock(now: () => number, run: () => void): void {
  Object.defineProperty(performance, "now", { value: now, configurable: true });
  try {
    run();
  } finally {
    // What was put before the method of the class.
    Reflect.deleteProperty(performance, "now");
  }
}

/** A service whose data is a list; a write takes its time, so that others could overtake it. */
class Service {
  readonly written: number[] = [];
  readonly #server: Server;

  constructor(gate: FenceGate) {
    this.#server = createServer((request, response) => {
      const answered = gate.answer(request, response, async ({ fencingToken, name }) => {
        if (name === "broken") throw new Error("disk full");
        if (name === "refused behind") throw new StaleTokenError({ name, fencingToken });
        await sleep(Math.random() < 0.5 ? 0 : 2);
        this.written.push(fencingToken);
        response.writeHead(204).end();
      });
      answered.catch((error: unknown) => {
        response.setHeader("answered-by", "the service itself");
        if (error instanceof StaleTokenError) answerRefusal(response, error);
        else response.writeHead(500).end(String(error));
      });
    });
  }

  async listen(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  put(headers: Record<string, string>): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.port}`, { method: "PUT", headers });
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

describe("A service behind a gate", () => {
  let redis: RedisProcess;
  let client: Redis;
  let service: Service;

  before(async () => {
    redis = await RedisProcess.start();
    client = new Redis(redis.port, "127.0.0.1");
  });
  after(async () => {
    client.disconnect();
    await redis.stop();
  });
  beforeEach(async () => {
    service = await new Service(new FenceGate()).listen();
  });
  afterEach(() => service.close());

  const STORES = { memory: () => new MemoryFenceStore(), Redis: () => new RedisFence(client) };
  for (const [where, makeStore] of Object.entries(STORES)) {
    it(`accepts tokens that never decrease, with its fences in ${where}`, async () => {
      const fenced = await new Service(new FenceGate({ store: makeStore() })).listen();
      let run = 0;
      try {
        const property = fc.asyncProperty(plannedWrites(1), async (writes) => {
          const name = `invoice:${run++}`;
          fenced.written.length = 0;
          await expectFenced(
            writes,
            async ({ token }) => {
              const response = await fenced.put(fencingHeaders(grant(token, name)));
              expect(response.status).to.be.oneOf([204, 409]);
              return response.status === 204;
            },
            async () => fenced.written,
          );
        });
        await fc.assert(property, { numRuns: 30 });
      } finally {
        fenced.close();
      }
    });
  }

  it("says to a late writer what it has seen", async () => {
    expect((await service.put(fencingHeaders(grant(T + 1)))).status).to.equal(204);
    const response = await service.put(fencingHeaders(grant(T)));
    expect(response.status).to.equal(409);
    expect(response.headers.get("fencing-token")).to.equal(String(T + 1));
    expect(() => assertNotStale(grant(T), response))
      .to.throw(StaleTokenError)
      .and.include({ fence: T + 1, fencingToken: T });
    expect(await response.json()).to.have.property("code", "QUORATE_STALE_TOKEN");
    expect(service.written).to.deep.equal([T + 1]);
  });

  it("answers 428 to a request without a token, and 400 to one with a bad one", async () => {
    const none = await service.put({ "fencing-resource": "a" });
    expect(none.status).to.equal(428);
    const bad = await service.put({ "fencing-resource": "a", "fencing-token": "seven" });
    expect(bad.status).to.equal(400);
    expect(await bad.json()).to.have.property("code", "QUORATE_MALFORMED_TOKEN");
    expect(service.written).to.deep.equal([]);
  });

  it("answers 400 to a request whose token came twice", async () => {
    const request = send({ port: service.port, host: "127.0.0.1", method: "PUT" });
    request.setHeader("fencing-resource", "a");
    request.setHeader("fencing-token", ["7", "8"]);
    request.end();
    const [response] = await once(request, "response");
    response.resume();
    expect(response.statusCode).to.equal(400);
  });

  it("leaves the errors of its own writes to itself", async () => {
    const broken = await service.put(fencingHeaders(grant(T, "broken")));
    expect(broken.status).to.equal(500);
    expect(await broken.text()).to.include("disk full");
    const behind = await service.put(fencingHeaders(grant(T, "refused behind")));
    expect(behind.status).to.equal(409);
    expect(behind.headers.get("fencing-token")).to.equal(null);
    expect(behind.headers.get("answered-by")).to.equal("the service itself");
  });
});

describe("assertNotStale", () => {
  const TABLE: [status: number, fence: string | undefined, isStale: boolean][] = [
    [204, undefined, false],
    [200, String(T + 1), false],
    [409, String(T + 1), true],
    [412, String(T + 1), true],
    [409, undefined, false],
    [409, "odd", false],
    [409, String(T), false],
    [500, String(T + 1), false],
  ];
  for (const [status, fence, isStale] of TABLE) {
    it(`${isStale ? "throws" : "is silent"} for ${status} with ${fence ?? "no token"}`, () => {
      const response = { status, headers: fence === undefined ? {} : { "fencing-token": fence } };
      const check = (): void => assertNotStale(grant(T), response);
      if (isStale) expect(check).to.throw(StaleTokenError);
      else check();
    });
  }

  it("takes no response that has no status", () => {
    const response = { statusCode: 409, headers: { "fencing-token": String(T + 1) } };
    expect(() => assertNotStale(grant(T), response as never)).to.throw(
      TypeError,
      "`response.status` must be a number, got undefined",
    );
  });
});
