import { setTimeout as sleep } from "node:timers/promises";
import {
  call,
  Gate,
  Holder,
  outcomeOf,
  type WebLock,
  type WebLockInfo,
  type WebLockOptions,
  type WebLocks,
} from "./web-locks.js";

/**
 * One behaviour of the Web Locks API: what a program does, and what it sees. Titles follow the files of
 * the web platform tests (`web-locks/`).
 *
 * @param name that no other case uses
 */
export type WebLockCase = (locks: WebLocks, name: string) => Promise<readonly unknown[]>;

const shared = { mode: "shared" } as const;
const shown = (lock: WebLock | null): string => (lock === null ? "null" : lock.mode);
const never = (): string => "was called";

/** Time for what should not happen to happen. */
const A_WHILE_MS = 60;

/**
 * Requests in order, and the order in which they came in and went out. Those that share and follow each
 * other stay until all of them are in.
 */
async function inOrder(locks: WebLocks, name: string, modes: string): Promise<readonly string[]> {
  const log: string[] = [];
  const groups = [...modes.matchAll(/s+|x/g)].flatMap(([letters]) => {
    const group = { missingCount: letters.length, gate: new Gate() };
    return Array.from(letters, (letter) => ({ letter, group }));
  });
  const requests = groups.map(({ letter, group }, index) => {
    const options: WebLockOptions = letter === "s" ? shared : {};
    return locks.request(name, options, async () => {
      log.push(`+${letter}${index}`);
      if (--group.missingCount === 0) group.gate.open();
      await group.gate.opened;
      await sleep(5);
      log.push(`-${letter}${index}`);
    });
  });
  await Promise.all(requests);
  return log;
}

/** Those who are together in any order, sorted; all others in theirs. */
function byMoment(log: readonly string[]): string[] {
  const moments: string[][] = [];
  for (const entry of log) {
    const last = moments.at(-1);
    if (last?.[0]?.[0] === entry[0]) last?.push(entry);
    else moments.push([entry]);
  }
  return moments.map((entries) => entries.toSorted().join(" "));
}

/**
 * Requests of one tick: x exclusive, s shared, t steals. What each came to, and the order in which those
 * came in that nobody stole from. They stay until the last one that steals is in.
 */
async function inOneTick(locks: WebLocks, name: string, kinds: string): Promise<string> {
  const order: number[] = [];
  const [gate, last] = [new Gate(), kinds.lastIndexOf("t")];
  const options = { x: {}, s: shared, t: { steal: true } } as const;
  const outcomes = Array.from(kinds, (kind, index) =>
    outcomeOf(
      locks.request(name, options[kind as "x" | "s" | "t"], async () => {
        order.push(index);
        if (index === last) gate.open();
        await gate.opened;
        await sleep(A_WHILE_MS);
        return "in";
      }),
    ),
  );
  const seen = await Promise.all(outcomes);
  const kept = order.filter((index) => seen[index] === "= in");
  return `${kinds}: ${seen.join(", ")}; ${kept.join(" ")}`;
}

/** Modes of those who hold the name, and of those who wait, in the order of the answer. */
async function queried(locks: WebLocks, name: string): Promise<string> {
  const { held = [], pending = [] } = await locks.query();
  const modesIn = (infos: readonly WebLockInfo[]): string => {
    const own = infos.filter((info) => info.name === name);
    return own.map(({ mode }) => mode).join(" ");
  };
  return `${modesIn(held)} | ${modesIn(pending)}`;
}

export const CASES: Readonly<Record<string, WebLockCase>> = {
  // acquire
  "acquire: a name and a callback are required, by rejection": async (locks, name) => [
    await call(locks),
    await call(locks, name),
    await call(locks, name, {}),
  ],
  "acquire: a mode must be known": async (locks, name) =>
    Promise.all(["foo", "EXCLUSIVE", null, 1].map((mode) => call(locks, name, { mode }, never))),
  "acquire: the callback must be a function": async (locks, name) => {
    const callbacks = [undefined, null, 123, "abc", [], {}, Promise.resolve()];
    return Promise.all(callbacks.map((callback) => call(locks, name, {}, callback)));
  },
  "acquire: the result of the callback is the result": async (locks, name) => [
    await outcomeOf(locks.request(name, () => 42)),
    await outcomeOf(locks.request(name, async () => "later")),
    await outcomeOf(locks.request(name, {}, () => null)),
  ],
  "acquire: what the callback throws is what is rejected with": async (locks, name) => {
    const own = new RangeError("own");
    const requests = [
      locks.request(`${name} 1`, () => Promise.reject(own)),
      locks.request(`${name} 2`, () => {
        throw own;
      }),
    ];
    const errors = await Promise.allSettled(requests);
    return errors.map((settled) => settled.status === "rejected" && settled.reason === own);
  },
  "acquire: the callback is not called from within the call": async (locks, name) => {
    const log: string[] = [];
    const requested = locks.request(name, () => log.push("callback"));
    log.push("returned");
    await requested;
    return log;
  },
  "acquire: undefined options are no options": async (locks, name) => [
    await call(locks, name, undefined, () => "got it"),
  ],

  // held
  "held: until the promise of the callback is settled": async (locks, name) => {
    const log: string[] = [];
    const gate = new Gate();
    const first = locks.request(name, async () => {
      await gate.opened;
      log.push("first is done");
    });
    const second = locks.request(name, () => void log.push("second"));
    await sleep(A_WHILE_MS);
    log.push("opened");
    gate.open();
    await Promise.all([first, second]);
    return log;
  },
  "held: not any more when the callback rejects": async (locks, name) => [
    await outcomeOf(locks.request(name, () => Promise.reject(new RangeError()))),
    await outcomeOf(locks.request(name, { ifAvailable: true }, (lock) => lock !== null)),
  ],
  "held: not any more when the callback throws": async (locks, name) => [
    await outcomeOf(
      locks.request(name, () => {
        throw new RangeError();
      }),
    ),
    await outcomeOf(locks.request(name, { ifAvailable: true }, (lock) => lock !== null)),
  ],
  "held: a nested request of another name": async (locks, name) => [
    await locks.request(`${name} outer`, () =>
      locks.request(`${name} inner`, (lock) => lock?.name),
    ),
  ],

  // lock-attributes
  "lock-attributes: name and mode, also later": async (locks, name) => {
    const plain = await locks.request(name, (lock) => lock);
    const reader = await locks.request(name, shared, (lock) => lock);
    return [plain?.name === name, plain?.mode, reader?.name === name, reader?.mode];
  },

  // ifAvailable
  "ifAvailable: a free name is granted": async (locks, name) => [
    await locks.request(name, { ifAvailable: true }, (lock) => lock?.mode),
    await locks.request(name, { ifAvailable: true, mode: "shared" }, (lock) => lock?.mode),
  ],
  "ifAvailable: null for a name that is held, and its result comes out": async (locks, name) => {
    const holder = new Holder(locks, name, {});
    await holder.isIn;
    const options = { ifAvailable: true };
    const outcomes = [
      await outcomeOf(locks.request(name, options, shown)),
      await outcomeOf(locks.request(name, options, async (lock) => `${shown(lock)}, later`)),
      await outcomeOf(
        locks.request(name, options, () => {
          throw new RangeError();
        }),
      ),
      await outcomeOf(locks.request(name, options, () => Promise.reject(new RangeError()))),
    ];
    return [...outcomes, await holder.letGo()];
  },
  "ifAvailable: null inside of the holder's own callback": async (locks, name) => [
    await locks.request(name, () => locks.request(name, { ifAvailable: true }, shown)),
  ],
  "ifAvailable: shared beside shared, and not beside exclusive": async (locks, name) => {
    const reader = new Holder(locks, name, shared);
    await reader.isIn;
    const beside = await locks.request(
      name,
      { ...shared, ifAvailable: true },
      (lock) => lock?.mode,
    );
    const alone = await locks.request(name, { ifAvailable: true }, shown);
    const outcomes = [beside, alone, await reader.letGo()];
    const writer = new Holder(locks, name, {});
    await writer.isIn;
    const late = await locks.request(name, { ...shared, ifAvailable: true }, shown);
    return [...outcomes, late, await writer.letGo()];
  },
  "ifAvailable: a name that somebody waits for is not available": async (locks, name) => {
    const reader = new Holder(locks, name, shared);
    await reader.isIn;
    const writer = new Holder(locks, name, {});
    await sleep(A_WHILE_MS);
    const late = await locks.request(name, { ...shared, ifAvailable: true }, shown);
    return [late, await reader.letGo(), await writer.letGo()];
  },
  "ifAvailable: free again after the release": async (locks, name) => {
    await locks.request(name, () => {});
    return [await locks.request(name, { ifAvailable: true }, (lock) => lock !== null)];
  },

  // mode-exclusive, mode-shared, mode-mixed
  "mode-exclusive: one after the other, first come first served": async (locks, name) =>
    inOrder(locks, name, "xxxxx"),
  "mode-exclusive: names do not disturb each other": async (locks, name) => {
    const holders = ["1", "2", "3"].map((n) => new Holder(locks, `${name} ${n}`, {}));
    await Promise.all(holders.map(({ isIn }) => isIn));
    return Promise.all(holders.map((holder) => holder.letGo()));
  },
  "mode-shared: all at once": async (locks, name) => {
    const holders = [1, 2, 3].map(() => new Holder(locks, name, shared));
    await Promise.all(holders.map(({ isIn }) => isIn));
    return Promise.all(holders.map((holder) => holder.letGo()));
  },
  "mode-mixed: shared ones together, exclusive ones alone, nobody overtakes": async (locks, name) =>
    byMoment(await inOrder(locks, name, "ssxssxxs")),
  "mode-mixed: an exclusive one waits for all who share": async (locks, name) => {
    const log: string[] = [];
    const readers = [1, 2].map(() => new Holder(locks, name, shared));
    await Promise.all(readers.map(({ isIn }) => isIn));
    const writing = locks.request(name, () => void log.push("written"));
    for (const reader of readers) {
      await sleep(A_WHILE_MS);
      log.push("a reader goes");
      await reader.letGo();
    }
    await writing;
    return log;
  },

  // resource-names
  "resource-names: texts of all kinds, as they are": async (locks, name) => {
    const texts = [
      "a",
      "A",
      " ",
      "a b",
      "\u0000",
      "é",
      "e\u0301",
      "\u{1F512}",
      "{}",
      "*",
      "a/b",
      "_",
    ];
    const names = texts.map((text) => `${name} ${text}`);
    const holders = names.map((each) => new Holder(locks, each, {}));
    await Promise.all(holders.map(({ isIn }) => isIn));
    return [new Set(await Promise.all(holders.map((holder) => holder.letGo())))].map((outcomes) =>
      [...outcomes].join(),
    );
  },
  'resource-names: none that begins with "-"': async (locks, name) => [
    await call(locks, "-", never),
    await call(locks, `-${name}`, never),
    await call(locks, `-${name}`, { ifAvailable: true }, never),
    await call(locks, `${name}-`, () => "called"),
  ],
  "resource-names: the empty one": async (locks) => [await call(locks, "", () => "called")],
  "resource-names: what is no text becomes one": async (locks) => [
    await call(locks, 42, (lock: { name: string }) => lock.name),
  ],

  // signal
  "signal: must be one": async (locks, name) =>
    Promise.all(
      ["string", 12.34, false, {}, [], Symbol("s"), null].map((signal) =>
        call(locks, name, { signal }, never),
      ),
    ),
  "signal: aborted before, with its reason": async (locks, name) => [
    await call(locks, name, { signal: AbortSignal.abort() }, never),
    await call(locks, name, { signal: AbortSignal.abort("my reason") }, never),
  ],
  "signal: aborted in the tick of the call": async (locks, name) => {
    const controller = new AbortController();
    const holder = new Holder(locks, name, {});
    const outcome = call(locks, name, { signal: controller.signal }, never);
    controller.abort("my reason");
    const outcomes = [await outcome];
    await holder.isIn;
    return [...outcomes, await holder.letGo()];
  },
  "signal: takes one out who waits, and those behind go on": async (locks, name) => {
    const holder = new Holder(locks, name, {});
    await holder.isIn;
    const controller = new AbortController();
    const { signal } = controller;
    const waiting = outcomeOf(locks.request(name, { signal }, never));
    const behind = outcomeOf(locks.request(name, () => "came in"));
    await sleep(A_WHILE_MS);
    controller.abort();
    return [await waiting, await holder.letGo(), await behind];
  },
  "signal: a timeout": async (locks, name) => {
    const holder = new Holder(locks, name, {});
    await holder.isIn;
    const signal = AbortSignal.timeout(A_WHILE_MS);
    return [await outcomeOf(locks.request(name, { signal }, never)), await holder.letGo()];
  },
  "signal: without effect once the lock is granted": async (locks, name) => {
    const controller = new AbortController();
    const { signal } = controller;
    const holder = new Holder(locks, name, { signal });
    await holder.isIn;
    controller.abort();
    const late = await locks.request(name, { ifAvailable: true }, shown);
    return [late, await holder.letGo()];
  },
  "signal: without effect after the release": async (locks, name) => {
    const controller = new AbortController();
    const { signal } = controller;
    const outcome = await outcomeOf(locks.request(name, { signal }, () => "done"));
    controller.abort();
    return [outcome, await locks.request(name, { ifAvailable: true }, (lock) => lock !== null)];
  },

  // steal
  "steal: a free name": async (locks, name) => [
    await locks.request(name, { steal: true }, (lock) => lock?.mode),
  ],
  "steal: from a holder, who is told by an AbortError": async (locks, name) => {
    const holder = new Holder(locks, name, {});
    await holder.isIn;
    const stolen = await outcomeOf(locks.request(name, { steal: true }, () => "stolen"));
    return [stolen, await holder.outcome, await holder.letGo()];
  },
  "steal: it is held by the preemptor": async (locks, name) => {
    const holder = new Holder(locks, name, {});
    await holder.isIn;
    const preemptor = new Holder(locks, name, { steal: true });
    await preemptor.isIn;
    const free = await locks.request(name, { ifAvailable: true }, shown);
    return [await holder.outcome, free, await preemptor.letGo()];
  },
  "steal: from all who share it": async (locks, name) => {
    const readers = [1, 2].map(() => new Holder(locks, name, shared));
    await Promise.all(readers.map(({ isIn }) => isIn));
    const stolen = await outcomeOf(locks.request(name, { steal: true }, () => "stolen"));
    return [stolen, ...(await Promise.all(readers.map(({ outcome }) => outcome)))];
  },
  "steal: ahead of those who wait, who go on after it": async (locks, name) => {
    const log: string[] = [];
    const holder = new Holder(locks, name, {});
    await holder.isIn;
    const waiting = [1, 2].map((n) => locks.request(name, () => void log.push(`waiting ${n}`)));
    await sleep(A_WHILE_MS);
    const preemptor = new Holder(locks, name, { steal: true }, () => log.push("preemptor"));
    await preemptor.isIn;
    await sleep(A_WHILE_MS);
    log.push("preemptor goes");
    const outcomes = [await holder.outcome, await preemptor.letGo()];
    await Promise.all(waiting);
    return [...outcomes, ...log];
  },
  "steal: a preemptor is preempted": async (locks, name) => {
    const first = new Holder(locks, name, { steal: true });
    await first.isIn;
    const stolen = await outcomeOf(locks.request(name, { steal: true }, () => "stolen"));
    return [stolen, await first.outcome];
  },
  "steal: what the preempted callback comes to does not matter": async (locks, name) => {
    const gate = new Gate();
    const entered = new Gate();
    const preempted = outcomeOf(
      locks.request(name, async () => {
        entered.open();
        await gate.opened;
        throw new RangeError();
      }),
    );
    await entered.opened;
    await locks.request(name, { steal: true }, () => gate.open());
    return [await preempted];
  },
  "steal: the preempted one may ask again": async (locks, name) => {
    const holder = new Holder(locks, name, {});
    await holder.isIn;
    const preemptor = new Holder(locks, name, { steal: true });
    await preemptor.isIn;
    const preempted = await holder.outcome;
    const again = outcomeOf(locks.request(name, () => "again"));
    return [preempted, await preemptor.letGo(), await again];
  },
  "steal: other names are not touched": async (locks, name) => {
    const holder = new Holder(locks, `${name} other`, {});
    await holder.isIn;
    await locks.request(name, { steal: true }, () => {});
    return [await holder.letGo()];
  },
  "steal: in one tick with other requests, in the order of the calls": async (locks, name) =>
    Promise.all(
      ["tt", "ttt", "xt", "tx", "xtx", "txt", "xxt", "xtxt", "sst", "tss"].map((kinds) =>
        inOneTick(locks, `${name} ${kinds}`, kinds),
      ),
    ),

  // query
  "query: who holds and who waits, in the order of their requests": async (locks, name) => {
    const readers = [1, 2].map(() => new Holder(locks, name, shared));
    await Promise.all(readers.map(({ isIn }) => isIn));
    const waiting = [new Holder(locks, name, {}), new Holder(locks, name, shared)];
    const seen = [await queried(locks, name)];
    for (const holder of [...readers, ...waiting]) await holder.letGo();
    return [...seen, await queried(locks, name)];
  },
  "query: one client for all locks": async (locks, name) => {
    const holders = [1, 2].map((n) => new Holder(locks, `${name} ${n}`, {}));
    await Promise.all(holders.map(({ isIn }) => isIn));
    const { held = [] } = await locks.query();
    const own = held.filter((info) => info.name?.startsWith(name));
    for (const holder of holders) await holder.letGo();
    return [own.length, new Set(own.map(({ clientId }) => clientId)).size, typeof own[0]?.clientId];
  },
  "query: the preemptor, and not whom it preempted": async (locks, name) => {
    const holder = new Holder(locks, name, shared);
    await holder.isIn;
    const preemptor = new Holder(locks, name, { steal: true });
    await preemptor.isIn;
    const seen = await queried(locks, name);
    return [seen, await preemptor.letGo(), await holder.outcome];
  },

  // combinations, and what is looked at first
  "combinations: what does not go together": async (locks, name) => {
    const { signal } = new AbortController();
    return [
      await call(locks, name, { steal: true, ifAvailable: true }, never),
      await call(locks, name, { steal: true, mode: "shared" }, never),
      await call(locks, name, { signal, steal: true }, never),
      await call(locks, name, { signal, ifAvailable: true }, never),
      await call(locks, name, { signal, steal: false, ifAvailable: false }, () => "called"),
    ];
  },
  "combinations: types come before what does not go together": async (locks, name) => [
    await call(locks, `-${name}`, { mode: "foo" }, never),
    await call(locks, `-${name}`, { signal: {} }, never),
    await call(locks, `-${name}`, {}, "no function"),
    await call(locks, name, { steal: true, ifAvailable: true }, undefined),
  ],
  "combinations: what does not go together comes before an abort": async (locks, name) => {
    const signal = AbortSignal.abort();
    return [
      await call(locks, `-${name}`, { signal }, never),
      await call(locks, name, { signal, steal: true }, never),
      await call(locks, name, { signal, ifAvailable: true }, never),
    ];
  },
};
