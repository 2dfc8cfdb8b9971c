import { expect } from "chai";
import { LockManager, type Lock } from "../../src/index.js";
import { rejectionOf } from "../support/settle.js";
import type { WebLockOptions, WebLocks } from "../support/web-locks/web-locks.js";

const { signal } = new AbortController();
const never = (): never => expect.fail("must not run");

describe("The options of a request", () => {
  let locks: LockManager;
  before(() => {
    // Nobody is there, and nobody is asked: what is wrong is said before.
    locks = new LockManager(["redis://127.0.0.1:1"]);
  });
  after(() => locks.close());

  const request = (name: unknown, options: unknown, callback: unknown = never): Promise<unknown> =>
    rejectionOf(locks.request(name as string, options as object, callback as () => void));

  for (const { title, name = "name", options, says } of [
    { title: "a reserved name", name: "-name", options: {}, says: ["`name`", '"-name"'] },
    { title: "one among several", name: ["name", "-"], options: {}, says: ["`name`"] },
    {
      title: "one that is not the first by its bytes",
      name: ["+", "-"],
      options: {},
      says: ["`name`"],
    },
    {
      title: "steal, ifAvailable and a signal, of which the first two clash first",
      options: { steal: true, ifAvailable: true, signal },
      says: ["`steal`", "`ifAvailable`"],
    },
    {
      title: "steal and ifAvailable",
      options: { steal: true, ifAvailable: true },
      says: ["`steal`", "`ifAvailable`"],
    },
    {
      title: "steal for a reader",
      options: { steal: true, mode: "shared" },
      says: ["`steal`", '`mode: "shared"`'],
    },
    {
      title: "steal with a signal",
      options: { steal: true, signal },
      says: ["`signal`", "`steal`"],
    },
    {
      title: "ifAvailable with a signal",
      options: { ifAvailable: true, signal },
      says: ["`signal`", "`ifAvailable`"],
    },
    { title: "steal for an owner", options: { steal: true, owner: "me" }, says: ["`owner`"] },
    {
      title: "steal to join",
      options: { steal: true, reentrant: true },
      says: ["`steal`", "`reentrant`"],
    },
    {
      title: "steal of several names",
      name: ["a", "b"],
      options: { steal: true },
      says: ["`steal`", "several names"],
    },
  ]) {
    it(`are told as not supported, and which they are: ${title}`, async () => {
      const error = await request(name, options);
      expect(error).to.be.instanceOf(DOMException).with.property("name", "NotSupportedError");
      for (const part of says) expect((error as Error).message).to.include(part);
    });
  }

  for (const { title, options, says } of [
    {
      title: "ifAvailable",
      options: { ifAvailable: "yes" },
      says: '`ifAvailable` must be a boolean, got "yes"',
    },
    { title: "steal", options: { steal: 1 }, says: "`steal` must be a boolean, got 1" },
    { title: "null for steal", options: { steal: null }, says: "`steal` must not be null" },
    {
      title: "one that is unknown",
      options: { stael: true },
      says: "unknown option `stael`: did you mean `steal`?",
    },
    {
      title: "null",
      options: null,
      says: "options must be an object such as { ttlMs: 10_000 }, got null",
    },
    {
      title: "a duration",
      options: 5_000,
      says: "options must be an object such as { ttlMs: 10_000 }, got 5000",
    },
  ]) {
    it(`are of the right types: ${title}`, async () => {
      expect(await request("name", options))
        .to.be.instanceOf(TypeError)
        .with.property("message", says);
    });
  }

  it("are those of a request only", async () => {
    for (const option of ["steal", "ifAvailable"]) {
      const options = { [option]: true };
      for (const acquired of [locks.acquire("name", options), locks.tryAcquire("name", options)]) {
        const error = await rejectionOf(acquired);
        expect(error).to.be.instanceOf(TypeError).with.property("message").that.includes(option);
      }
      expect(() => new LockManager(["redis://127.0.0.1:1"], options)).to.throw(TypeError, option);
    }
  });

  it("are told as not supported: steal in the layout of another library", async () => {
    for (const layout of ["redisson", "timestamp", "timestamp-seconds"] as const) {
      await using others = new LockManager(["redis://127.0.0.1:1"], { layout });
      const error = await rejectionOf(others.request("name", { steal: true }, never));
      expect(error).to.be.instanceOf(DOMException).with.property("name", "NotSupportedError");
      expect((error as Error).message)
        .to.include("`steal`")
        .and.include(`"${layout}"`);
    }
  });

  it("reserve no name for an acquire", async () => {
    const error = await rejectionOf(locks.acquire("-name", { waitMs: 0 }));
    expect(error).to.have.property("code", "QUORATE_UNREACHABLE");
  });

  it("have types that tell whether there is a lock", () => {
    const typed = async (webOptions: WebLockOptions): Promise<void> => {
      const asWebLocks: WebLocks = locks;
      await asWebLocks.request("name", webOptions, (lock) => lock?.name);
      const name: string = await locks.request("name", (lock) => lock.name);
      const mode: string = await locks.request("name", { steal: true }, async (lock) => lock.mode);
      const maybe: Lock | null = await locks.request("name", { ifAvailable: true }, (lock) => lock);
      // @ts-expect-error it is null if it is not available
      await locks.request("name", { ifAvailable: true }, (lock) => lock.name);
      // @ts-expect-error it may be null, as far as can be told
      await locks.request("name", webOptions, (lock) => lock.name);
      // @ts-expect-error there is no such mode
      await locks.request("name", { mode: "exclusiv" }, () => {});
      expect.fail(`must not run: ${name}, ${mode}, ${maybe?.name}`);
    };
    expect(typed).to.be.a("function");
  });
});
