import { expect } from "chai";
import type {
  AcquireOptions,
  AdoptOptions,
  ElectOptions,
  LockManagerOptions,
  PermitOptions,
  RequestOptions,
  SemaphoreOptions,
} from "../../src/api/options.js";
import { resolveAcquireOptions, resolveManagerOptions } from "../../src/options/resolve.js";
import {
  checkPlace,
  DEFAULTS,
  OPTION_NAMES,
  OPTIONS,
  optionsOf,
  placesOf,
  type OptionName,
  type Place,
} from "../../src/options/table.js";

/** One value of each option that is right. */
const GOOD = {
  ttlMs: 5_000,
  waitMs: 0,
  signal: new AbortController().signal,
  label: "",
  mode: "shared",
  ifAvailable: true,
  keyPrefix: "",
  renew: false,
  maxHoldMs: Infinity,
  fair: true,
  maxWaiters: 0,
  owner: "job",
  value: "10.0.0.1:80",
  reentrant: true,
  steal: false,
  lockDelayMs: 5,
  minHoldMs: 5,
  permits: 3,
  onError: () => {},
  nodeTimeoutMs: 2.5,
  maxTtlMs: 60_000,
  quarantine: "off",
  layout: "redisson",
  clockStepMs: 0,
  driftFactor: 0.5,
  retry: { minDelayMs: 5 },
  allowEviction: true,
  lossGraceMs: 0,
  lossNoticeMs: 0,
} satisfies Record<OptionName, unknown>;

/** The options of each place by its type: whoever gives it one that is not known there is told by the compiler, too. */
const TYPED = {
  manager: {} as LockManagerOptions,
  acquire: {} as AcquireOptions,
  request: {} as RequestOptions,
  elect: {} as ElectOptions,
  semaphore: {} as SemaphoreOptions,
  permit: {} as PermitOptions,
  adopt: {} as AdoptOptions,
};

/** What an error says of where an option belongs, by the first of its places but for the manager. */
const WHERE: Readonly<Partial<Record<Place, string>>> = {
  manager: "it is one of the LockManager: it is the same for all its locks",
  acquire: "it is one of acquire, tryAcquire and request",
  request: "it is one of request",
  elect: "it is one of elect",
  semaphore: "it is one of semaphore",
};

const PLACES = Object.keys(TYPED) as Place[];

describe("The table of options", () => {
  for (const place of PLACES) {
    for (const name of OPTION_NAMES) {
      const options = { [name]: GOOD[name] };
      if (placesOf(name).includes(place)) {
        it(`takes \`${name}\` of ${place}`, () => checkPlace(options, place));
        continue;
      }
      it(`says to ${place} where \`${name}\` belongs`, () => {
        const [first = "manager"] = placesOf(name).filter((each) => each !== "manager");
        const isOfLocks = place === "permit" && placesOf(name).includes("acquire");
        const where = isOfLocks ? "does not apply to a semaphore: leave it out" : WHERE[first];
        expect(() => checkPlace(options, place))
          .to.throw(TypeError)
          .with.property("message")
          .that.includes(`\`${name}\``)
          .and.includes(where);
      });
    }
  }

  it("has what the types have", () => {
    type Known<Of extends Place> = {
      [Name in OptionName]: Of extends (typeof OPTIONS)[Name]["places"][number] ? Name : never;
    }[OptionName];
    // Either side would not compile with one option more or less.
    const same: {
      [Of in Place]: [keyof (typeof TYPED)[Of], Known<Of>] extends [infer A, infer B]
        ? [A] extends [B]
          ? [B] extends [A]
            ? true
            : false
          : false
        : never;
    } = {
      manager: true,
      acquire: true,
      request: true,
      elect: true,
      semaphore: true,
      permit: true,
      adopt: true,
    };
    expect(Object.keys(same)).to.deep.equal(PLACES);
  });

  it("checks the value in every place", () => {
    for (const name of OPTION_NAMES) {
      for (const place of placesOf(name)) {
        const bad = { [name]: Symbol("of no option") };
        expect(() => checkPlace(bad, place), `${name} of ${place}`).to.throw(
          TypeError,
          `\`${name}\` must be`,
        );
        expect(() => checkPlace({ [name]: null }, place)).to.throw(
          TypeError,
          `\`${name}\` must not be null`,
        );
        checkPlace({ [name]: undefined }, place);
      }
    }
  });

  it("suggests of an unknown option only what the same place takes", () => {
    for (const [given, place, meant] of [
      ["ttl", "acquire", "ttlMs"],
      ["stael", "request", "steal"],
      ["timeout", "manager", "nodeTimeoutMs"],
      ...(["manager", "acquire", "request"] as const).flatMap((place) =>
        (
          [
            ["retries", "waitMs"],
            ["retryAttempts", "waitMs"],
            ["acquireTimeout", "waitMs"],
            ["acquireAttemptsLimit", "waitMs"],
            ["lockTimeout", "ttlMs"],
            ["duration", "ttlMs"],
            ["refreshInterval", "renew"],
            ["retryCount", "waitMs"],
          ] as const
        ).map(([given, meant]) => [given, place, meant] as const),
      ),
      ...(["acquire", "request", "semaphore", "permit"] as const).flatMap((place) =>
        ["timeout", "timeoutMs", "timeoutMS", "wait", "waitms", "retryCount"].map(
          (given) => [given, place, "waitMs"] as const,
        ),
      ),
    ] as const) {
      expect(() => checkPlace({ [given]: 1 }, place)).to.throw(
        TypeError,
        `unknown option \`${given}\`: did you mean \`${meant}\`?`,
      );
    }
  });

  it("says of an unknown option where one belongs that is like it", () => {
    for (const [given, place, says] of [
      ["nodeTimeout", "acquire", /: `nodeTimeoutMs` is one of the LockManager: it is the same/],
      ["keyprefix", "request", /: `keyPrefix` is one of the LockManager: it is the same/],
      ["stael", "acquire", /: `steal` is one of request$/],
      ["wait", "elect", /: `waitMs` is one of acquire, tryAcquire and request$/],
    ] as const) {
      expect(() => checkPlace({ [given]: 1 }, place)).to.throw(TypeError, says);
    }
  });

  it("suggests nothing of a word for what a place has not", () => {
    for (const place of ["elect", "adopt"] as const) {
      for (const word of ["timeout", "retryCount"]) {
        const says = new RegExp(`^unknown option \`${word}\`$`);
        expect(() => checkPlace({ [word]: 1 }, place)).to.throw(says);
      }
    }
    expect(() => checkPlace({ fencing: false }, "manager")).to.throw(/^unknown option `fencing`$/);
  });

  it("takes no half waiter", () => {
    expect(() => checkPlace({ maxWaiters: 1.5 }, "acquire")).to.throw(
      RangeError,
      "`maxWaiters` must be an integer of at least 0, or Infinity, got 1.5",
    );
    for (const maxWaiters of [0, 1, Number.POSITIVE_INFINITY]) {
      checkPlace({ maxWaiters }, "acquire");
    }
    expect(() => checkPlace({ maxWaiters: -1 }, "acquire")).to.throw(RangeError, "at least 0");
  });

  it("says which text is meant by a quarantine that is on or off", () => {
    for (const [given, meant] of [
      [true, '"auto"'],
      [false, '"off"'],
    ] as const) {
      expect(() => checkPlace({ quarantine: given }, "manager")).to.throw(
        TypeError,
        `\`quarantine\` must be a string, got ${given}: ${meant} is meant`,
      );
    }
  });

  it("gives every day seven options", () => {
    const everyday = OPTION_NAMES.filter((name) => "isEveryday" in OPTIONS[name]);
    expect(everyday).to.have.length(7);
    expect(everyday).to.deep.equal(OPTION_NAMES.slice(0, 7));
  });
});

describe("DEFAULTS", () => {
  it("cannot be changed by anybody", () => {
    expect(Object.isFrozen(DEFAULTS)).to.equal(true);
    expect(Object.isFrozen(DEFAULTS.retry)).to.equal(true);
  });

  it("has every option of a manager, but for those that are derived from others", () => {
    const derived = ["nodeTimeoutMs", "lossNoticeMs"] as const;
    expect(Object.keys(DEFAULTS)).to.have.members(
      optionsOf("manager").filter((name) => !derived.some((each) => each === name)),
    );
  });

  it("can be given back as options, to the same effect", () => {
    const { given: _, ...byDefault } = resolveManagerOptions({});
    const { given: __, ...spelledOut } = resolveManagerOptions(DEFAULTS);
    const longestTtl = { ...byDefault.longestTtl, raisesTtl: true };
    expect(spelledOut, "a given maxTtlMs is for all clients").to.deep.equal({
      ...byDefault,
      longestTtl,
    });
  });

  it("are what an acquire without options gets", () => {
    const { lease, wait } = resolveAcquireOptions({}, resolveManagerOptions({}), DEFAULTS.waitMs);
    expect(lease).to.deep.equal({
      ttlMs: 10_000,
      maxTtlMs: 60_000,
      nodeTimeoutMs: 500,
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
      value: undefined,
    });
    expect(wait).to.deep.equal({ waitMs: 30_000, minDelayMs: 10, maxDelayMs: 250, fair: false });
  });

  it("label the holder with host and process", () => {
    expect(DEFAULTS.label).to.match(new RegExp(`:${process.pid}$`));
    expect(DEFAULTS.label.length).to.be.at.most(200);
  });
});
