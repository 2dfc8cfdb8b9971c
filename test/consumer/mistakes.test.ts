import { expect } from "chai";
import * as quorate from "../../src/index.js";
import { memoryNodes } from "../../src/memory/index.js";
import { typeCheck } from "../docs/type-check.js";
import { rejectionOf } from "../support/settle.js";

/**
 * A mistake of somebody who is new here. The code is JavaScript that may use `locks` and `quorate`; what is wrong with it
 * is said by the compiler, by the call, or by both. Either names what is wrong and says what to do.
 */
interface Mistake {
  readonly title: string;
  readonly code: string;
  /** Absent: the types cannot tell. */
  readonly types?: RegExp;
  /** Absent: nothing is called that could tell. */
  readonly call?: RegExp;
}

const MISTAKES: readonly Mistake[] = [
  {
    title: "seconds instead of milliseconds",
    code: `await locks.acquire("x", { ttlMs: 5 });`,
    call: /`ttlMs` must be at least 10 ms, got 5/,
  },
  {
    title: "a duration as text",
    code: `await locks.acquire("x", { ttlMs: "10s" });`,
    types: /'string' is not assignable to type 'number'/,
    call: /`ttlMs` must be a number, got "10s"/,
  },
  {
    title: "a misspelt option",
    code: `await locks.acquire("x", { ttl: 5_000 });`,
    types: /'ttl' does not exist in type 'AcquireOptions'/,
    call: /unknown option `ttl`: did you mean `ttlMs`\?/,
  },
  {
    title: "an option of another library",
    code: `await locks.acquire("x", { retryCount: 5 });`,
    types: /'retryCount' does not exist in type 'AcquireOptions'/,
    call: /unknown option `retryCount`/,
  },
  {
    title: "an option of the manager in a call",
    code: `await locks.acquire("x", { nodeTimeoutMs: 50 });`,
    types: /'nodeTimeoutMs' does not exist in type 'AcquireOptions'/,
    call: /`nodeTimeoutMs` is not an option here: it is one of the LockManager/,
  },
  {
    title: "an option of a call in the manager",
    code: `new quorate.LockManager(["redis://127.0.0.1:1"], { ifAvailable: true });`,
    types: /'ifAvailable' does not exist in type 'LockManagerOptions'/,
    call: /`ifAvailable` is not an option here: it is one of request/,
  },
  {
    title: "a ttl above the manager's longest",
    code: `await locks.acquire("x", { ttlMs: 3_600_000 });`,
    call: /`ttlMs` must be at most the `maxTtlMs` of the LockManager \(60000\), got 3600000/,
  },
  {
    title: "no await",
    code: `const lock = locks.acquire("x"); lock.assertHeld();`,
    types: /'assertHeld' does not exist on type 'Promise<Lock>'/,
  },
  {
    title: "no look at whether it was free",
    code: `const lock = await locks.tryAcquire("x"); await lock.release();`,
    types: /'lock' is possibly 'null'/,
  },
  {
    title: "a callback that is called at once",
    code: `await locks.request("x", Promise.resolve(5));`,
    types: /'Promise<number>' is not assignable to parameter of type '\(lock: Lock\) => unknown'/,
    call: /`callback` must be a function, got undefined: the last argument of request/,
  },
  {
    title: "no callback",
    code: `await locks.request("x", { ttlMs: 5_000 });`,
    types: /'ttlMs' does not exist in type '\(lock: Lock\) => unknown'/,
    call: /`callback` must be a function, got undefined: the last argument of request/,
  },
  {
    title: "options after the callback",
    code: `await locks.request("x", async () => {}, { ttlMs: 5_000 });`,
    types: /No overload matches/,
    call: /request\(name, callback\) has no argument 3, got \[object Object\]: options come before the callback/,
  },
  {
    title: "a callback where none is taken",
    code: `await locks.tryAcquire("x", {}, async () => {});`,
    types: /Expected 1-2 arguments, but got 3/,
    call: /tryAcquire\(name, options\) has no argument 3, got a function: request\(name, options, callback\) runs a callback/,
  },
  {
    title: "a controller instead of its signal",
    code: `await locks.acquire("x", { signal: new AbortController() });`,
    types: /'AbortController' is missing the following properties from type 'AbortSignal'/,
    call: /`signal` must be an AbortSignal, got \[object AbortController\]: pass its `signal`/,
  },
  {
    title: "an id of a database as the name",
    code: `await locks.acquire(42);`,
    types: /'number' is not assignable to parameter of type 'string \| readonly string\[\]'/,
    call: /`name` must be a string, got 42/,
  },
  {
    title: "a number as the owner",
    code: `await locks.acquire("x", { owner: 42 });`,
    types: /'number' is not assignable to type 'string'/,
    call: /`owner` must be a string, got 42/,
  },
  {
    title: "a mode of another library",
    code: `await locks.acquire("x", { mode: "read" });`,
    types: /'"read"' is not assignable to type '"exclusive" \| "shared" \| undefined'/,
    call: /`mode` must be "exclusive" or "shared", got "read"/,
  },
  {
    title: "a semaphore without the number of its permits",
    code: `locks.semaphore("x", {});`,
    types: /'permits' is missing in type/,
    call: /`permits` must be a number, got undefined/,
  },
  {
    title: "one node instead of a list",
    code: `new quorate.LockManager("redis://:secret@127.0.0.1:1");`,
    types: /'string' is not assignable to parameter of type 'readonly NodeConfig\[\]'/,
    call: /`nodes` must be an array, such as \["redis:\/\/host:6379"\], got "redis:\/\/\*\*\*@127/,
  },
  {
    title: "one node without a scheme instead of a list",
    code: `new quorate.LockManager("app:secret@127.0.0.1:1");`,
    types: /'string' is not assignable to parameter of type 'readonly NodeConfig\[\]'/,
    call: /`nodes` must be an array, such as \["redis:\/\/host:6379"\], got "\*\*\*@127/,
  },
  {
    title: "no nodes",
    code: `new quorate.LockManager([]);`,
    call: /`nodes` must name 1 to 30 nodes, got 0/,
  },
  {
    title: "a node without a scheme",
    code: `new quorate.LockManager(["127.0.0.1:6379"]);`,
    call: /`nodes\[0\]` must be a URL such as redis:\/\/host:6379, got "127.0.0.1:6379"/,
  },
  {
    title: "a client of another library",
    code: `new quorate.LockManager([{ get() {}, set() {} }]);`,
    types: /'get' does not exist in type/,
    call: /`nodes\[0\]` must be a URL, a client of ioredis, iovalkey or node-redis, or an object with one of them/,
  },
  {
    title: "a lock instead of what it gives away",
    code: `const lock = await locks.acquire("x"); await locks.adopt(lock);`,
    types: /'Lock' is not assignable to parameter of type 'string \| GivenLock'/,
    call: /`json.kind` must be "quorate-lock" as in what lock\.handOver\(\) gave, got undefined/,
  },
  {
    title: "quarantine as a switch",
    code: `new quorate.LockManager(["redis://127.0.0.1:1"], { quarantine: false });`,
    types: /'false' is not assignable to type '"always" \| "auto" \| "off" \| undefined'/,
    call: /`quarantine` must be a string, got false: "off" is meant/,
  },
];

type Body = (locks: quorate.LockManager, all: typeof quorate) => Promise<unknown>;

describe("mistakes of somebody who is new here", function () {
  this.timeout(120_000);
  let typeErrors: readonly string[];

  before(() => {
    typeErrors = typeCheck(
      MISTAKES.map(({ title, code }) => ({
        page: title,
        line: 2,
        code: `import * as quorate from "quorate"; export async function wrong() {\n${code}\n}\n`,
      })),
    );
  });

  for (const { title, code, types, call } of MISTAKES) {
    it(title, async () => {
      const found = typeErrors.filter((error) => error.startsWith(`${title}:`)).join("\n");
      if (types === undefined) expect(found).to.equal("");
      else expect(found).to.match(types);
      if (call === undefined) return;
      await using locks = new quorate.LockManager(memoryNodes(1));
      // oxlint-disable-next-line typescript/no-implied-eval -- what the compiler refuses is run as JavaScript
      const run = new Function("locks", "quorate", `return (async () => { ${code} })();`) as Body;
      const error = await rejectionOf(run(locks, quorate));
      expect(error).to.satisfy((e: unknown) => e instanceof TypeError || e instanceof RangeError);
      expect((error as Error).message).to.match(call);
    });
  }

  it("are at least twenty, each found by the compiler or by the call", () => {
    expect(MISTAKES).to.have.length.of.at.least(20);
    for (const { title, types, call } of MISTAKES)
      expect(types ?? call, title).to.not.equal(undefined);
  });
});
