import { expect } from "chai";
import * as fc from "fast-check";
import type { AcquireOptions, LockManagerOptions } from "../../src/api/options.js";
import {
  resolveAcquireOptions,
  withMinHold,
  resolveElectOptions,
  resolveManagerOptions,
} from "../../src/options/resolve.js";
import { nameKeys } from "../../src/protocol/keys.js";
import { optionsOf, type OptionName } from "../../src/options/table.js";
import { hasOneShape } from "../support/same-shape.js";

const manager = (options: unknown) => resolveManagerOptions(options as LockManagerOptions);
const acquire = (options: unknown, managerOptions: LockManagerOptions = {}) =>
  resolveAcquireOptions(options as AcquireOptions, resolveManagerOptions(managerOptions), 30_000);

/** The lock on a name that an acquire with these options is for. */
const kindOf = (options: AcquireOptions) => acquire(options).kindOf(nameKeys("lock:", "a"));

/** Options that are refused wherever they may be given, and what is said. */
const BAD_LOCK_OPTIONS: [object, "TypeError" | "RangeError", RegExp][] = [
  [{ ttlMs: "10s" }, "TypeError", /`ttlMs` must be a number, got "10s"/],
  [{ ttlMs: NaN }, "TypeError", /`ttlMs` .*NaN/],
  [{ ttlMs: 9 }, "RangeError", /`ttlMs` .*10.*got 9/],
  [{ ttlMs: 100.5 }, "RangeError", /`ttlMs` must be an integer number of ms, got 100.5/],
  [{ ttlMs: Infinity }, "RangeError", /`ttlMs` .*Infinity/],
  [{ ttlMs: -1 }, "RangeError", /`ttlMs` .*got -1/],
  [{ maxHoldMs: 0 }, "RangeError", /`maxHoldMs` must be at least 1 ms, got 0/],
  [{ maxHoldMs: "ever" }, "TypeError", /`maxHoldMs` must be a number, got "ever"/],
  [{ lockDelayMs: -1 }, "RangeError", /`lockDelayMs` .*got -1/],
  [{ lockDelayMs: "1s" }, "TypeError", /`lockDelayMs` must be a number, got "1s"/],
  [{ lockDelayMs: 1.5 }, "RangeError", /`lockDelayMs` must be an integer number of ms, got 1.5/],
  [{ minHoldMs: -1 }, "RangeError", /`minHoldMs` .*got -1/],
  [{ minHoldMs: "1s" }, "TypeError", /`minHoldMs` must be a number, got "1s"/],
  [{ ttlMs: 1_000, minHoldMs: 988 }, "RangeError", /`minHoldMs` .*`ttlMs` \(1000\).*988.*got 988/],
  [{ renew: "yes" }, "TypeError", /`renew` must be a boolean, got "yes"/],
  [{ fencing: false }, "TypeError", /unknown option `fencing`/],
  [{ label: 5 }, "TypeError", /`label` must be a string, got 5/],
  [{ label: "x".repeat(201) }, "RangeError", /`label` .*200.*got 201/],
  [{ waitMs: -1 }, "RangeError", /`waitMs` must be at least 0 ms, got -1/],
  [{ waitMs: NaN }, "TypeError", /`waitMs` .*NaN/],
  [{ ttl: 1_000 }, "TypeError", /unknown option `ttl`/],
  [{ fair: 1 }, "TypeError", /`fair` must be a boolean, got 1/],
  [{ ttlMs: null }, "TypeError", /`ttlMs` must not be null/],
  [{ label: "\ud800" }, "RangeError", /`label` must be well-formed Unicode/],
];

const BAD_MANAGER_OPTIONS: typeof BAD_LOCK_OPTIONS = [
  [{ nodeTimeoutMs: 0 }, "RangeError", /`nodeTimeoutMs` must be at least 1 ms, got 0/],
  [{ clockStepMs: -1 }, "RangeError", /`clockStepMs` .*got -1/],
  [{ clockStepMs: "5s" }, "TypeError", /`clockStepMs` must be a number, got "5s"/],
  [{ lossNoticeMs: -1 }, "RangeError", /`lossNoticeMs` .*got -1/],
  [{ lossNoticeMs: "1s" }, "TypeError", /`lossNoticeMs` must be a number, got "1s"/],
  [{ retry: 5 }, "TypeError", /`retry` must be an object, got 5/],
  [{ retry: { minDelayMs: 0 } }, "RangeError", /`retry.minDelayMs` must be at least 1 ms, got 0/],
  [
    { retry: { minDelayMs: 50, maxDelayMs: 40 } },
    "RangeError",
    /`retry.maxDelayMs` must be at least 50 ms, got 40/,
  ],
  [{ retry: { maxDelayMs: 9 } }, "RangeError", /`retry.maxDelayMs` must be at least 10 ms, got 9/],
  [{ retry: { delay: 5 } }, "TypeError", /unknown option `retry.delay`/],
  [{ retry: { minDelayMs: null } }, "TypeError", /`retry.minDelayMs` must not be null/],
  [{ layout: "reddison" }, "RangeError", /`layout` .*"redlock", "redisson".*got "reddison"/],
  [{ layout: 1 }, "TypeError", /`layout` must be a string, got 1/],
  [
    { lockDelayMs: 50_000, maxTtlMs: 60_000 },
    "RangeError",
    /`lockDelayMs` .*`ttlMs` \(10000\) .*`maxTtlMs` \(60000\), got 50000/,
  ],
  [{ signal: undefined }, "TypeError", /`signal` .*one of acquire, tryAcquire and request/],
  [{ reentrant: true }, "TypeError", /`reentrant` .*one of acquire, tryAcquire and request/],
  [{ maxTtlMs: 5 }, "RangeError", /`maxTtlMs` .*got 5/],
  [
    { ttlMs: 2_000, maxTtlMs: 1_000 },
    "RangeError",
    /`ttlMs` must be at most the `maxTtlMs` of the LockManager \(1000\), got 2000/,
  ],
  [{ driftFactor: -0.1 }, "RangeError", /`driftFactor` must be from 0 to 0.5, got -0.1/],
  [{ driftFactor: 0.6 }, "RangeError", /`driftFactor` .*got 0.6/],
  [{ keyPrefix: 5 }, "TypeError", /`keyPrefix` must be a string, got 5/],
  [{ keyPrefix: "\udc00:" }, "RangeError", /`keyPrefix` must be well-formed Unicode/],
  [{ quarantine: false }, "TypeError", /`quarantine` .*got false: "off" is meant/],
  [
    { quarantine: "never" },
    "RangeError",
    /`quarantine` must be one of "auto", "always", "off", got "never"/,
  ],
  [{ allowEviction: 0 }, "TypeError", /`allowEviction` must be a boolean, got 0/],
  [{ lossGraceMs: -1 }, "RangeError", /`lossGraceMs` must be at least 0 ms, got -1/],
];

const thrownBy = (run: () => unknown): Error => {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error("nothing was thrown");
};

describe("resolveManagerOptions", () => {
  for (const [options, name, message] of [...BAD_LOCK_OPTIONS, ...BAD_MANAGER_OPTIONS]) {
    it(`refuses ${JSON.stringify(options).slice(0, 60)} with a ${name}`, () => {
      const error = thrownBy(() => manager(options));
      expect(error.name).to.equal(name);
      expect(error.message).to.match(message);
    });
  }

  for (const options of [null, 5, "redis://a"]) {
    it(`refuses ${JSON.stringify(options)} for options`, () => {
      expect(() => manager(options)).to.throw(TypeError, /options must be an object/);
    });
  }

  it("lets maxTtlMs grow with a long ttl", () => {
    const settings = manager({ ttlMs: 200_000_000 });
    expect(settings.maxTtlMs).to.equal(200_000_000);
    expect(manager({}).maxTtlMs).to.equal(60_000);
  });

  it("lets no key in the layout of another library live longer than that says", () => {
    for (const layout of ["timestamp", "timestamp-seconds", "redisson"] as const) {
      expect(manager({ layout }).lease.clockStepMs, layout).to.equal(0);
      expect(acquire({}, { layout, clockStepMs: 700 }).lease.clockStepMs, layout).to.equal(0);
    }
    expect(acquire({}, { clockStepMs: 700 }).lease.clockStepMs).to.equal(700);
  });

  for (const place of ["permit", "adopt"] as const) {
    it(`gives the margin in any layout of the manager where keys are not in it: ${place}`, () => {
      for (const layout of ["redlock", "timestamp", "timestamp-seconds", "redisson"] as const) {
        const settings = manager({ layout, clockStepMs: 700 });
        const { lease } = resolveAcquireOptions({}, settings, 0, place);
        expect(lease.clockStepMs, layout).to.equal(700);
      }
    });
  }

  it("takes undefined for not given", () => {
    const { given: _, ...undefinedGiven } = manager({ ttlMs: undefined, retry: undefined });
    const { given: __, ...nothingGiven } = manager({});
    expect(undefinedGiven).to.deep.equal(nothingGiven);
  });

  it("lets the longest pause grow with the shortest", () => {
    expect(manager({ retry: { minDelayMs: 400 } }).usual.wait).to.include({
      minDelayMs: 400,
      maxDelayMs: 400,
    });
  });

  it("refuses a drift that leaves no validity", () => {
    expect(() => manager({ ttlMs: 10, driftFactor: 0.5, nodeTimeoutMs: 1 })).to.not.throw();
    for (const ttlMs of [10, 11, 100]) {
      for (const driftFactor of [0, 0.01, 0.5]) {
        const { lease } = manager({ ttlMs, driftFactor, nodeTimeoutMs: 1 });
        const validityMs = lease.ttlMs - (Math.ceil(ttlMs * driftFactor) + 2);
        expect(validityMs).to.be.above(0);
      }
    }
  });
});

describe("resolveElectOptions", () => {
  it("waits for as long as it takes, with the pauses and the fairness of the manager", () => {
    const retry = { minDelayMs: 20, maxDelayMs: 50 };
    for (const waitMs of [undefined, 0, 700]) {
      const given = { waitMs, retry, fair: true, maxWaiters: 3 };
      const { wait } = resolveElectOptions({}, manager(given));
      expect(wait).to.deep.equal({ waitMs: Number.POSITIVE_INFINITY, ...retry, fair: true });
    }
    expect(resolveElectOptions({ fair: false }, manager({ fair: true })).wait.fair).to.equal(false);
  });

  it("takes its own options for its terms, and those of the manager", () => {
    const onError = (): void => {};
    const { signal } = new AbortController();
    const given = { ttlMs: 4_000, label: "", signal, onError };
    const resolved = resolveElectOptions(given, manager({ ttlMs: 5_000, lockDelayMs: 7 }));
    expect(resolved).to.include({ signal, onError });
    expect(resolved.lease).to.include({ ttlMs: 4_000, label: "", lockDelayMs: 7 });
  });
});

describe("resolveAcquireOptions", () => {
  for (const options of [{ ttlMs: 5_000 }, { waitMs: 100 }, { value: "a" }, { maxWaiters: 5 }]) {
    it(`makes objects of one shape: ${Object.keys(options).join()}`, () => {
      const settings = resolveManagerOptions({});
      const resolve = () => resolveAcquireOptions(options, settings, 30_000);
      expect(hasOneShape(resolve)).to.equal(true);
      expect(hasOneShape(() => resolve().lease)).to.equal(true);
      expect(hasOneShape(() => resolve().wait)).to.equal(true);
    });
  }

  for (const [options, name, message] of [
    ...BAD_LOCK_OPTIONS,
    [
      { ttlMs: 60_001 },
      "RangeError",
      /`ttlMs` must be at most the `maxTtlMs` .*\(60000\), got 60001/,
    ],
    [{ signal: {} }, "TypeError", /`signal` must be an AbortSignal/],
    [{ mode: "read" }, "TypeError", /`mode` must be "exclusive" or "shared", got "read"/],
    [{ mode: 1 }, "TypeError", /`mode` must be "exclusive" or "shared", got 1/],
    [{ mode: null }, "TypeError", /`mode` must not be null/],
    [{ owner: "" }, "RangeError", /`owner` must have 1 to 200 characters, got 0/],
    [{ owner: "x".repeat(201) }, "RangeError", /`owner` must have 1 to 200 characters, got 201/],
    [{ owner: "quorate:x" }, "RangeError", /`owner` must not begin with "quorate:"/],
    [{ owner: "\ud800" }, "RangeError", /`owner` must be well-formed Unicode/],
    [{ owner: 7 }, "TypeError", /`owner` must be a string, got 7/],
    [{ owner: null }, "TypeError", /`owner` must not be null/],
    [{ keyPrefix: "x:" }, "TypeError", /`keyPrefix` .*one of the LockManager/],
    [{ nodeTimeoutMs: 50 }, "TypeError", /`nodeTimeoutMs` .*one of the LockManager/],
  ] as typeof BAD_LOCK_OPTIONS) {
    it(`refuses ${JSON.stringify(options).slice(0, 60)} with a ${name}`, () => {
      const error = thrownBy(() => acquire(options));
      expect(error.name).to.equal(name);
      expect(error.message).to.match(message);
    });
  }

  /** Two values of each option that managers and acquires have, those that are falsy among them. */
  const OF_BOTH: Partial<Record<OptionName, readonly [unknown, unknown]>> = {
    ttlMs: [4_000, 5_000],
    waitMs: [0, 700],
    label: ["", "somebody"],
    renew: [false, true],
    maxHoldMs: [1, Number.POSITIVE_INFINITY],
    fair: [false, true],
    maxWaiters: [0, 7],
    lockDelayMs: [0, 700],
    minHoldMs: [0, 700],
  };

  it("is asked here for all options that managers have, too", () => {
    const both = optionsOf("manager").filter((name) => optionsOf("acquire").includes(name));
    expect(Object.keys(OF_BOTH)).to.have.members(both);
  });

  for (const [name, values] of Object.entries(OF_BOTH)) {
    it(`prefers the lock's own option to the manager's: ${name}`, () => {
      const inForce = (own: object, managers: object): unknown => {
        const settings = manager(managers);
        const { lease, wait } = resolveAcquireOptions(own, settings, settings.usual.wait.waitMs);
        return { ...lease, ...wait }[name as "ttlMs"];
      };
      for (const [one, other] of [values, values.toReversed()]) {
        expect(inForce({ [name]: one }, { [name]: other })).to.equal(one);
        expect(inForce({ [name]: undefined }, { [name]: other })).to.equal(other);
        expect(inForce({}, { [name]: other })).to.equal(other);
      }
    });
  }

  for (const { own, least, inForce } of [
    { own: 0, least: 0, inForce: 0 },
    { own: 500, least: 0, inForce: 500 },
    { own: 500, least: 499, inForce: 500 },
    { own: 0, least: 987, inForce: 987 },
    { own: 500, least: 987, inForce: 987 },
  ]) {
    it(`D2: a minimum hold of ${own} ms that must be at least ${least} is ${inForce}`, () => {
      const { lease } = acquire({ ttlMs: 1_000, minHoldMs: own });
      const held = withMinHold(lease, least, "json.minHoldMs");
      expect(held).to.deep.equal({ ...lease, minHoldMs: inForce });
      expect(() => withMinHold(lease, 988, "json.minHoldMs")).to.throw(
        RangeError,
        "`json.minHoldMs` must be less than `ttlMs` (1000) less drift (988), got 988",
      );
    });
  }

  const AT_A_BOUND: readonly AcquireOptions[] = [
    { ttlMs: 10 },
    { ttlMs: 60_000 },
    { ttlMs: 1_000, minHoldMs: 987 },
    { maxHoldMs: 1 },
    { waitMs: Number.POSITIVE_INFINITY },
    { label: "x".repeat(200) },
    { owner: "x" },
    { owner: "x".repeat(200) },
    { owner: "my quorate:x" },
  ];
  for (const options of AT_A_BOUND) {
    it(`takes ${JSON.stringify(options).slice(0, 60)}`, () => {
      expect(() => acquire(options)).to.not.throw();
    });
  }

  it("takes the pauses of the manager", () => {
    const { wait } = acquire({}, { retry: { minDelayMs: 20, maxDelayMs: 50 } });
    expect(wait).to.include({ minDelayMs: 20, maxDelayMs: 50 });
  });

  it("derives the node timeout from the lock's own ttl", () => {
    for (const [ttlMs, nodeTimeoutMs] of [
      [10, 5],
      [80, 40],
      [100, 50],
      [200, 50],
      [1_000, 50],
      [10_000, 500],
      [20_000, 1_000],
      [60_000, 1_000],
    ] as const) {
      expect(acquire({ ttlMs }, { ttlMs: 30_000 }).lease.nodeTimeoutMs, `${ttlMs}`).to.equal(
        nodeTimeoutMs,
      );
    }
  });

  /** Either as the ttl of one lock, or as that of all. */
  const leasesOf = (ttlMs: number, options: LockManagerOptions) => [
    acquire({ ttlMs }, options).lease,
    acquire({}, { ...options, ttlMs }).lease,
    manager({ ...options, ttlMs }).lease,
  ];

  it("takes the node timeout of the manager, at most half of the lock's own ttl", () => {
    for (const [ttlMs, givenMs, nodeTimeoutMs] of [
      [10, 1, 1],
      [10, 5, 5],
      [10, 6, 5],
      [10, Infinity, 5],
      [100, 49, 49],
      [100, 4_000, 50],
      [200, 99.5, 99.5],
      [200, 100, 100],
      [200, 101, 100],
      [200, 4_000, 100],
      [10_000, 1, 1],
      [10_000, 4_000, 4_000],
      [10_000, 60_000, 5_000],
    ] as const) {
      for (const lease of leasesOf(ttlMs, { nodeTimeoutMs: givenMs })) {
        expect(lease.nodeTimeoutMs, `${givenMs} of ${ttlMs}`).to.equal(nodeTimeoutMs);
      }
    }
  });

  it("takes the notice of the manager, where more than that is left when a renewal is due", () => {
    for (const [ttlMs, leftMs, usualMs] of [
      // A ttl less its drift, and less a third of it: a notice that long would always come.
      [10, 7 - 10 / 3, 1],
      [100, 97 - 100 / 3, 31],
      [200, 196 - 200 / 3, 64],
      [10_000, 9_898 - 10_000 / 3, 3_282],
    ] as const) {
      for (const [givenMs, noticeMs] of [
        [undefined, usualMs],
        [0, 0],
        [Math.floor(leftMs), Math.floor(leftMs)],
        [Math.ceil(leftMs), usualMs],
        [60_000, usualMs],
        [Infinity, usualMs],
      ] as const) {
        for (const lease of leasesOf(ttlMs, { lossNoticeMs: givenMs })) {
          expect(lease.lossNoticeMs, `${givenMs} of ${ttlMs}`).to.equal(noticeMs);
        }
      }
    }
  });

  it("waits as it is told: the lock's own waitMs, else the default of the call", () => {
    expect(acquire({}).wait.waitMs).to.equal(30_000);
    expect(acquire({ waitMs: 0 }).wait.waitMs).to.equal(0);
    expect(acquire({ waitMs: Infinity }).wait.waitMs).to.equal(Infinity);
  });

  it("takes both modes; exclusive is the default", () => {
    expect(kindOf({}).mode).to.equal("exclusive");
    for (const mode of ["exclusive", "shared"] as const) {
      expect(kindOf({ mode }).mode).to.equal(mode);
    }
  });

  it("takes an owner; none is the default", () => {
    expect(kindOf({}).owner).to.equal(undefined);
    for (const owner of ["job-17", "o".repeat(200), "jöb:1 2"]) {
      expect(kindOf({ owner }).owner).to.equal(owner);
    }
  });

  it("resolves what concerns the lock itself only where it is given", () => {
    const settings = resolveManagerOptions({ ttlMs: 5_000, label: "here" });
    const leaseOf = (options: AcquireOptions) => resolveAcquireOptions(options, settings, 0).lease;
    const { signal } = new AbortController();
    expect(leaseOf({ waitMs: 5, fair: true, signal, ttlMs: undefined })).to.equal(settings.lease);
    expect(leaseOf({ renew: true })).to.deep.equal(settings.lease);
  });

  it("hands the signal on", () => {
    const { signal } = new AbortController();
    expect(acquire({ signal }).signal).to.equal(signal);
    expect(acquire({}).signal).to.equal(undefined);
  });

  it("always leaves validity, and time for a node below the ttl, for every ttl that is allowed", () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 60_000 }), (ttlMs) => {
        const { lease } = acquire({ ttlMs });
        expect(lease.nodeTimeoutMs).to.be.above(0).and.below(ttlMs);
      }),
    );
  });
});
