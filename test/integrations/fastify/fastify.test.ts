import { once } from "node:events";
import { connect } from "node:http2";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import fastify, { type FastifyInstance } from "fastify";
import { quorate } from "../../../src/integrations/fastify/index.js";
import { LockManager, type Lock } from "../../../src/index.js";
import { RedisFleet } from "../../../src/testing/index.js";
import { allHold, allNodes, noLockKeys } from "../../support/nodes.js";
import { PATIENT } from "../../support/patient.js";
import { eventually, rejectionOf } from "../../support/settle.js";

const OPTIONS = { ttlMs: 20_000, ...PATIENT };

describe("quorate/fastify", () => {
  let fleet: RedisFleet;
  let others: LockManager;
  let app: FastifyInstance;
  let url: string;
  let running: number;
  let most: number;
  /** What a handler waits for. */
  let until: () => Promise<unknown>;
  const locksSeen: unknown[] = [];
  const errors: unknown[] = [];

  before(async () => {
    fleet = await RedisFleet.start({ nodes: 3 });
  });
  after(() => fleet.stop());

  beforeEach(async () => {
    others = new LockManager(fleet.urls, OPTIONS);
    await allNodes(others);
    [running, most] = [0, 0];
    until = () => sleep(150);
    locksSeen.length = 0;
    errors.length = 0;
    // Else a connection that is kept alive keeps the server from closing for so much longer.
    app = fastify({ keepAliveTimeout: 100 });
    app.addHook("onError", async (_request, _reply, error) => void errors.push(error));
    await app.register(quorate, { nodes: fleet.urls, options: OPTIONS, drainMs: 20_000 });
    const work = async (): Promise<void> => {
      most = Math.max(most, ++running);
      await until();
      running--;
    };
    const user = ({ params }: { params: unknown }): string =>
      `user:${(params as { id: string }).id}`;
    const patient = { name: user, waitMs: 20_000 };
    app.get("/free", (request, reply) => void reply.send({ lock: request.lock }));
    // oxlint-disable-next-line oxc/no-async-endpoint-handlers -- no endpoint of Express
    app.post("/users/:id", { config: { lock: patient } }, async (request) => {
      locksSeen.push(request.lock);
      await work();
      return { name: request.lock?.name, token: request.lock?.fencingToken };
    });
    // As those do who have no promise.
    app.post("/old/:id", { config: { lock: patient } }, (request, reply) => {
      void work().then(() => reply.send({ name: request.lock?.name }));
    });
    const once = { name: user, waitMs: 0, ttlMs: 5_000 };
    app.post("/once/:id", { config: { lock: once } }, async () => "done");
    app.post("/default/:id", { config: { lock: user } }, async () => "done");
    const chunks = async function* (lock: Lock | null): AsyncGenerator<string> {
      for (let count = 0; count < 3; count++) {
        await sleep(20);
        yield `${String(lock?.isHeld)} `;
      }
    };
    app.post("/stream/:id", { config: { lock: patient } }, async ({ lock }) =>
      Readable.from(chunks(lock)),
    );
    app.post("/sends/:id", { config: { lock: patient } }, (request, reply) => {
      void reply.send(Readable.from(chunks(request.lock)));
    });
    app.post("/web/:id", { config: { lock: patient } }, async ({ lock }) =>
      Readable.toWeb(Readable.from(chunks(lock)).map((text: string) => Buffer.from(text))),
    );
    app.post("/response/:id", { config: { lock: patient } }, async ({ lock }) => {
      const text = Readable.from(chunks(lock)).map((each: string) => Buffer.from(each));
      return new Response(Readable.toWeb(text) as ReadableStream);
    });
    app.post("/empty/:id", { config: { lock: patient } }, async (_request, reply) => {
      void reply.code(204);
    });
    app.post("/returns/:id", { config: { lock: patient } }, async (_request, reply) => {
      void work().then(() => reply.send("later"));
      return reply;
    });
    app.post("/fails/:id", { config: { lock: patient } }, async () => {
      throw Object.assign(new Error("of the handler"), { statusCode: 409 });
    });
    await app.register(async (inner) => {
      inner.post("/inner/:id", { config: { lock: patient } }, async ({ lock }) => lock?.name);
    });
    url = await app.listen({ port: 0, host: "127.0.0.1" });
    await eventually("its nodes are ready", () =>
      app.locks.nodes.every(({ state }) => state === "ready"),
    );
  });

  afterEach(async () => {
    await app.close();
    await others.close();
  });

  const post = (path: string) => fetch(url + path, { method: "POST" });

  it("runs one handler for each name at a time, and releases", async () => {
    until = () => eventually("a and b side by side", () => most === 2);
    const answers = await Promise.all(["a", "a", "b", "a"].map((id) => post(`/users/${id}`)));
    const bodies = (await Promise.all(answers.map((answer) => answer.json()))) as {
      name: string;
      token: number;
    }[];
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
    expect(bodies.map(({ name }) => name)).to.deep.equal(["user:a", "user:a", "user:b", "user:a"]);
    expect(
      new Set(bodies.filter(({ name }) => name === "user:a").map(({ token }) => token)).size,
    ).to.equal(3);
    expect(most).to.equal(2);
    await noLockKeys(fleet.nodes);
  });

  it("holds the lock until a handler without a promise has answered", async () => {
    const answers = await Promise.all([post("/old/a"), post("/old/a"), post("/inner/a")]);
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    expect(await answers[0]?.json()).to.deep.equal({ name: "user:a" });
    expect(await answers[2]?.text()).to.equal("user:a");
    expect(most).to.equal(1);
    await noLockKeys(fleet.nodes);
  });

  it("holds the lock until a stream has been read, which a handler returns or sends", async () => {
    for (const path of ["/stream/a", "/sends/a", "/web/a", "/response/a"]) {
      const answer = await post(path);
      expect(await answer.text(), path).to.equal("true true true ");
      await noLockKeys(fleet.nodes);
    }
  });

  it("answers as Fastify does where a handler comes to nothing", async () => {
    const answer = await post("/empty/a");
    expect(answer.status).to.equal(204);
    await noLockKeys(fleet.nodes);
  });

  for (const path of ["/users/a", "/old/a", "/returns/a"]) {
    it(`holds the lock until ${path} has ended, also where its client has gone`, async () => {
      let finish = (): void => {};
      until = () => new Promise<void>((resolve) => (finish = resolve));
      const gone = new AbortController();
      const asking = rejectionOf(fetch(url + path, { method: "POST", signal: gone.signal }));
      await eventually("it runs", () => running === 1);
      gone.abort();
      await asking;
      await sleep(200);
      expect((await post("/once/a")).status).to.equal(423);
      finish();
      await noLockKeys(fleet.nodes);
    });
  }

  it("runs no handler for a client that has gone before the name was known", async () => {
    let tell = (): void => {};
    const isTold = new Promise<void>((resolve) => (tell = resolve));
    let askedCount = 0;
    await using own = fastify({ keepAliveTimeout: 100 });
    await own.register(quorate, { locks: others });
    let hasRun = false;
    const lock = async (): Promise<string> => {
      askedCount++;
      await isTold;
      return "a";
    };
    own.get("/", { config: { lock } }, async () => (hasRun = true));
    const at = await own.listen({ port: 0, host: "127.0.0.1" });
    const gone = new AbortController();
    const asking = rejectionOf(fetch(at, { signal: gone.signal }));
    await eventually("it is asked for", () => askedCount === 1);
    gone.abort();
    await asking;
    await sleep(100);
    tell();
    await sleep(200);
    expect(hasRun).to.equal(false);
  });

  describe("over HTTP/2", () => {
    const endless = async function* (): AsyncGenerator<string> {
      for (;;) {
        yield "x";
        await sleep(20);
      }
    };
    const broken = async function* (): AsyncGenerator<string> {
      yield "x";
      await sleep(20);
      throw new Error("of the stream");
    };

    for (const [what, chunksOf, leaves] of [
      ["whose client leaves", endless, true],
      ["that fails", broken, false],
    ] as const) {
      it(`releases the lock of a stream ${what}`, async () => {
        await using own = fastify({ http2: true, logger: false });
        await own.register(quorate, { locks: others });
        own.get("/", { config: { lock: () => "a" } }, async () => Readable.from(chunksOf()));
        const client = connect(await own.listen({ port: 0, host: "127.0.0.1" }));
        const stream = client.request({ ":path": "/" });
        stream.on("error", () => {});
        await once(stream, "data");
        if (leaves) client.destroy();
        await noLockKeys(fleet.nodes);
        client.destroy();
      });
    }
  });

  it("leaves other routes alone", async () => {
    expect(await (await fetch(`${url}/free`)).json()).to.deep.equal({ lock: null });
  });

  it("answers 423 with Retry-After, and nothing about the holder, if it is held", async () => {
    await using lock = await others.acquire("user:a", { label: "secret-host" });
    for (const path of ["/once/a", "/default/a"]) {
      const answer = await post(path);
      expect(answer.status, path).to.equal(423);
      expect(Number(answer.headers.get("retry-after"))).to.be.within(1, 25);
      const body = await answer.text();
      expect(JSON.parse(body)).to.include({ statusCode: 423, message: "The resource is locked" });
      expect(body).to.not.match(/secret-host|127\.0\.0\.1/);
    }
    expect(lock.isHeld).to.equal(true);
    expect(locksSeen).to.deep.equal([]);
  });

  it("answers 503 with Retry-After without a quorum", async () => {
    await Promise.all(fleet.nodes.slice(1).map((node) => node.pause()));
    try {
      const answer = await post("/once/a");
      expect(answer.status).to.equal(503);
      expect(answer.headers.get("retry-after")).to.equal("1");
      expect(await answer.json()).to.include({ code: "QUORATE_UNREACHABLE" });
    } finally {
      await Promise.all(fleet.nodes.slice(1).map((node) => node.resume()));
    }
  });

  it("answers 503 if the lock is lost", async () => {
    let finish = (): void => {};
    until = () => new Promise<void>((resolve) => (finish = resolve));
    const answering = post("/users/a");
    await eventually("it runs", () => running === 1);
    await allHold(fleet.nodes, "user:a");
    await others.forceRelease("user:a");
    await app.locks.close();
    finish();
    const answer = await answering;
    expect([answer.status, ((await answer.json()) as { code: string }).code]).to.deep.equal([
      503,
      "QUORATE_LOST",
    ]);
  });

  it("passes on what a handler throws, and releases", async () => {
    const answer = await post("/fails/a");
    expect(answer.status).to.equal(409);
    expect(await answer.json()).to.include({ message: "of the handler" });
    await noLockKeys(fleet.nodes);
  });

  it("waits no more for a client that has gone", async () => {
    await using lock = await others.acquire("user:a");
    const gone = new AbortController();
    const asking = rejectionOf(fetch(`${url}/users/a`, { method: "POST", signal: gone.signal }));
    const waitingCount = async (): Promise<number> => {
      return (await (app.locks as LockManager).query()).pending.length;
    };
    await eventually("it waits", async () => (await waitingCount()) === 1);
    gone.abort();
    await asking;
    await eventually("nothing waits", async () => (await waitingCount()) === 0);
    expect(errors, "for whoever watches errors of the server").to.deep.equal([]);
    await lock.release();
    await sleep(200);
    expect(locksSeen).to.deep.equal([]);
  });

  it("lets requests end before it closes", async () => {
    let finish = (): void => {};
    until = () => new Promise<void>((resolve) => (finish = resolve));
    const answering = post("/users/a");
    await allHold(fleet.nodes, "user:a");
    const closing = app.close();
    await sleep(100);
    expect(running).to.equal(1);
    finish();
    await closing;
    expect((await answering).status).to.equal(200);
    await noLockKeys(fleet.nodes);
    expect(app.locks.isReady).to.equal(false);
  });

  it("uses a manager that it is given, and leaves it open", async () => {
    await using own = fastify();
    await own.register(quorate, { locks: others });
    own.get("/", { config: { lock: () => ["a", "b"] } }, async ({ lock }) => lock?.names);
    expect((await own.inject("/")).json()).to.deep.equal(["a", "b"]);
    await own.close();
    expect(others.isReady).to.equal(true);
  });

  it("refuses bad options when it is registered", async () => {
    const nodes = fleet.urls;
    for (const [bad, message] of [
      [{}, /needs `nodes`, or `locks`/],
      [{ nodes: [] }, /`nodes` must/],
      [{ nodes, drainMs: "20" }, /`drainMs` must be a number, got "20"/],
      [{ nodes, drainMs: -1 }, /`drainMs` must be at least 0 ms, got -1/],
      [{ nodes, drainMS: 20 }, /unknown option `drainMS`: did you mean `drainMs`\?/],
      [{ locks: others, drainMs: 20 }, /unknown option `drainMs`/],
      [{ locks: Promise.resolve(others) }, /`locks` must be a LockManager, got \[object Promise\]/],
    ] as const) {
      await using own = fastify();
      const error = await rejectionOf((async () => own.register(quorate, bad as never))());
      expect((error as Error).message).to.match(message);
    }
  });

  const name = (): string => "a";
  for (const [what, lock, message, isOfManager] of [
    ["a name", "a", /`config\.lock` of GET \/x must be a function .*, got "a"/],
    ["null", null, /`config\.lock` of GET \/x must be a function .*, got null/],
    ["names", ["a"], /`config\.lock\.name` of GET \/x must be a function .*, got undefined/],
    ["no function", { name: "a" }, /`config\.lock\.name` of GET \/x must be .*, got "a"/],
    ["a misspelt option", { name, ttl: 1 }, /GET \/x: unknown option `ttl`: did you mean `ttlMs`/],
    ["another call's option", { name, steal: true }, /`steal` is not an option here: .* request/],
    ["a bad value", { name, waitMs: "1" }, /GET \/x: `waitMs` must be a number, got "1"/],
    ["a signal", { name, signal: AbortSignal.timeout(1) }, /`signal` is that of the request/],
    ["too long a ttl", { name, ttlMs: 70_000 }, /`ttlMs` must be at most .*, got 70000/, true],
  ] as const) {
    it(`refuses a route whose lock is or has ${what}`, async () => {
      const routes: readonly FastifyInstance[] = [fastify(), fastify()];
      const [ofNodes, ofLocks] = routes as [FastifyInstance, FastifyInstance];
      try {
        await ofNodes.register(quorate, { nodes: fleet.urls, options: OPTIONS });
        await ofLocks.register(quorate, { locks: others });
        for (const own of isOfManager === true ? [ofNodes] : routes) {
          const add = (): unknown => own.get("/x", { config: { lock: lock as never } }, name);
          expect(add).to.throw(message);
        }
      } finally {
        await Promise.all(routes.map((own) => own.close()));
      }
    });
  }

  for (const [returned, got] of [
    [{ name: "a", ttlMs: 5_000 }, "[object Object]"],
    [undefined, "undefined"],
    [null, "null"],
    [7, "7"],
  ] as const) {
    it(`says what is wrong with a function that returns ${got}`, async () => {
      await using own = fastify();
      await own.register(quorate, { locks: others });
      own.get("/", { config: { lock: () => returned as never } }, name);
      const answer = await own.inject("/");
      expect(answer.statusCode).to.equal(500);
      expect(answer.json<Error>().message)
        .to.include(`must return a name, or several, got ${got};`)
        .and.include("`{ name: thatFunction, ...options }`");
    });
  }

  it("takes the lock off the request when the handler has ended, also if it threw", async () => {
    await using own = fastify();
    await own.register(quorate, { locks: others, prefix: "/v1" });
    const locksAfter: unknown[] = [];
    own.addHook("onSend", async ({ lock }) => void locksAfter.push(lock));
    own.get("/done", { config: { lock: () => "a" } }, async ({ lock }) => lock?.name);
    own.get("/fails", { config: { lock: () => "a" } }, async ({ lock }) => {
      throw new Error(lock?.name);
    });
    expect((await own.inject("/done")).body).to.equal("a");
    expect((await own.inject("/fails")).json()).to.include({ message: "a" });
    expect(locksAfter).to.deep.equal([null, null]);
  });

  it("runs no route unlocked that was added before it", async () => {
    await using own = fastify();
    let hasRun = false;
    // Several routes may have the same.
    const config = { lock: () => "a" };
    own.get("/", { config }, async () => (hasRun = true));
    await own.register(quorate, { locks: others });
    own.get("/later", { config }, async () => "done");
    expect((await own.inject("/later")).body).to.equal("done");
    const answer = await own.inject("/");
    expect(answer.statusCode).to.equal(500);
    expect(answer.body).to.match(
      /the route GET \/ was registered before the quorate plugin, .*: call `await app.register/,
    );
    expect(hasRun).to.equal(false);
  });
});
