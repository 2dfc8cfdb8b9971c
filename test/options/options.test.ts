import { expect } from "chai";
import {
  DEFAULTS,
  type AcquireOptions,
  type LockManagerOptions,
} from "../../src/options/options.js";
import { resolveAcquireOptions, resolveManagerOptions } from "../../src/options/resolve.js";

describe("DEFAULTS", () => {
  it("cannot be changed by anybody", () => {
    expect(Object.isFrozen(DEFAULTS)).to.equal(true);
    expect(Object.isFrozen(DEFAULTS.retry)).to.equal(true);
  });

  it("names every option of a manager, and nothing else", () => {
    // `satisfies` finds an option that is not in the list; the list finds one that has no default.
    const all = {
      ttlMs: 0,
      nodeTimeoutMs: 0,
      minValidityMs: 0,
      renew: 0,
      maxHoldMs: 0,
      lockDelayMs: 0,
      minHoldMs: 0,
      clockStepMs: 0,
      lossNoticeMs: 0,
      fencing: 0,
      label: 0,
      layout: 0,
      waitMs: 0,
      retry: 0,
      fair: 0,
      maxTtlMs: 0,
      driftFactor: 0,
      keyPrefix: 0,
      quarantine: 0,
      bootstrap: 0,
      allowEviction: 0,
      lossGraceMs: 0,
    } satisfies Record<keyof LockManagerOptions, 0>;
    expect(Object.keys(DEFAULTS).toSorted()).to.deep.equal(Object.keys(all).toSorted());
  });

  it("can be given back as options, to the same effect", () => {
    const { given: _, ...byDefault } = resolveManagerOptions({});
    const { given: __, ...spelledOut } = resolveManagerOptions(DEFAULTS);
    expect(spelledOut).to.deep.equal(byDefault);
  });

  it("are what an acquire without options gets", () => {
    const { lease, wait } = resolveAcquireOptions(
      {} satisfies AcquireOptions,
      resolveManagerOptions({}),
      DEFAULTS.waitMs,
    );
    expect(lease).to.deep.equal({
      ttlMs: 10_000,
      nodeTimeoutMs: 500,
      minValidityMs: 0,
      driftFactor: 0.01,
      maxHoldMs: Infinity,
      renew: true,
      fencing: true,
      label: DEFAULTS.label,
      lockDelayMs: 0,
      minHoldMs: 0,
      clockStepMs: 5_000,
      // Half of what is left when a renewal is due: a ttl less its drift, and less a third of it.
      lossNoticeMs: Math.floor((10_000 - 102 - 10_000 / 3) / 2),
    });
    expect(wait).to.deep.equal({ waitMs: 30_000, minDelayMs: 10, maxDelayMs: 250, fair: false });
  });

  it("label the holder with host and process", () => {
    expect(DEFAULTS.label).to.match(new RegExp(`:${process.pid}$`));
    expect(DEFAULTS.label.length).to.be.at.most(200);
  });
});
