import { getEventListeners } from "node:events";
import { aborted } from "./support/settle.js";
import { expect } from "chai";
import { LockManager } from "../src/index.js";
import { activeResources } from "./support/active-resources.js";
import { FakeClient } from "./support/fake-client.js";
import { rejectionOf } from "./support/settle.js";

const OPTIONS = { ttlMs: 2_000, nodeTimeoutMs: 300, waitMs: 50, renew: false };

async function withNodes(
  behaviour: "grants" | "holds",
  run: (locks: LockManager, clients: readonly FakeClient[]) => Promise<void>,
): Promise<void> {
  const clients = [0, 1, 2].map((index) => new FakeClient(index, behaviour));
  await using locks = new LockManager(clients, OPTIONS);
  await locks.ready({ all: true });
  await run(locks, clients);
}

describe("What is over leaves nothing behind:", () => {
  const uses: readonly [string, (locks: LockManager, signal: AbortSignal) => Promise<unknown>][] = [
    ["acquire", async (locks, signal) => (await locks.acquire("a", { signal })).release()],
    ["request", (locks, signal) => locks.request("a", { signal }, () => {})],
    ["ready", (locks, signal) => locks.ready({ signal })],
    [
      "elect",
      async (locks, signal) => {
        for await (const term of locks.elect("a", { signal })) if (term.isHeld) break;
      },
    ],
    [
      "adopt, in vain",
      async (locks, signal) =>
        rejectionOf(locks.adopt((await locks.acquire("a")).handOver(), { signal })),
    ],
  ];
  for (const [title, use] of uses) {
    it(`${title}: no listener on the signal or the manager, nothing pending, no lock`, () =>
      withNodes("grants", async (locks) => {
        const { signal } = new AbortController();
        for (let count = 0; count < 3; count++) await use(locks, signal);
        expect(getEventListeners(signal, "abort")).to.have.length(0);
        expect(locks.listenerCount("node")).to.equal(0);
        expect(await locks.query()).to.deep.equal({ held: [], pending: [] });
      }));
  }

  it("acquire, in vain", () =>
    withNodes("holds", async (locks) => {
      const { signal } = new AbortController();
      for (let count = 0; count < 3; count++) await rejectionOf(locks.acquire("a", { signal }));
      expect(getEventListeners(signal, "abort")).to.have.length(0);
      expect((await locks.query()).pending).to.deep.equal([]);
    }));

  it("a request that was lost: no timer of its grace", () =>
    withNodes("grants", async (_, clients) => {
      await using locks = new LockManager(clients, { ...OPTIONS, lossGraceMs: 60_000 });
      await locks.ready();
      const lost = (): Promise<unknown> =>
        rejectionOf(
          locks.request("a", { ttlMs: 150 }, ({ signal }) => {
            return aborted(signal);
          }),
        );
      await lost();
      const before = activeResources("Timeout");
      for (let count = 0; count < 4; count++) await lost();
      expect(activeResources("Timeout")).to.be.below(before + 4);
    }));

  for (const [title, isLostBefore] of [
    ["with close", false],
    ["before", true],
  ] as const)
    it(`a request whose callback goes on, lost ${title}: after close no timer of its grace`, () =>
      withNodes("grants", async (_, clients) => {
        const locks = new LockManager(clients, { ...OPTIONS, lossGraceMs: 60_000 });
        await locks.ready();
        let end = (): void => {};
        const goesOn = new Promise<void>((resolve) => (end = resolve));
        let lose = (): void => {};
        const losing = new Promise<void>((resolve) => (lose = resolve));
        const options = { ttlMs: isLostBefore ? 150 : 60_000 };
        const request = locks.request("a", options, async ({ signal }) => {
          if (isLostBefore) await aborted(signal);
          lose();
          await goesOn;
        });
        await losing;
        await locks.close();
        const after = activeResources("Timeout");
        end();
        await rejectionOf(request);
        expect(after).to.equal(activeResources("Timeout"));
      }));

  it("close renews nothing any more", () =>
    withNodes("grants", async (_, clients) => {
      const locks = new LockManager(clients, { ttlMs: 240, nodeTimeoutMs: 200 });
      await locks.ready();
      await locks.acquire("a");
      for (const client of clients) client.behaviour = "silent";
      const closing = locks.close();
      const before = clients.map(({ sent }) => sent.filter((step) => step === "extend").length);
      await closing;
      const after = clients.map(({ sent }) => sent.filter((step) => step === "extend").length);
      expect(after).to.deep.equal(before);
    }));

  it("a term that was resigned is over for those who are told", () =>
    withNodes("grants", async (locks) => {
      let isHeld: boolean | undefined;
      for await (const term of locks.elect("a")) {
        term.signal.addEventListener("abort", () => (isHeld = term.isHeld));
        break;
      }
      expect(isHeld).to.equal(false);
    }));
});
