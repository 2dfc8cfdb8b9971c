import { Inject, Injectable, SetMetadata, type Type } from "@nestjs/common";
import { Cron, ScheduleModule, SchedulerRegistry } from "@nestjs/schedule";
import { HealthCheckService, TerminusModule } from "@nestjs/terminus";
import { Test, type TestingModule } from "@nestjs/testing";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { of } from "rxjs";
import { LockContendedError } from "../../../src/api/errors.js";
import { LockManager } from "../../../src/index.js";
import {
  currentLock,
  InjectLocks,
  Locked,
  QuorateHealthIndicator,
  QuorateModule,
  type NameOf,
  type QuorateModuleOptions,
} from "../../../src/integrations/nestjs/index.js";
import { RedisFleet } from "../../../src/testing/index.js";
import { allNodes, noLockKeys } from "../../support/nodes.js";
import { PATIENT } from "../../support/patient.js";
import { eventually, rejectionOf, rejectionWith } from "../../support/settle.js";

const OPTIONS = { ttlMs: 20_000, ...PATIENT };

/** As a compiler does with `experimentalDecorators`; the first decorates last. */
function decorate(target: object, key: string, ...decorators: readonly MethodDecorator[]): void {
  for (const decorator of decorators.toReversed()) {
    const descriptor = Object.getOwnPropertyDescriptor(target, key) ?? {};
    Object.defineProperty(target, key, decorator(target, key, descriptor) ?? descriptor);
  }
}

class Payments {
  readonly locks: LockManager;
  running = 0;
  most = 0;
  /** What a charge waits for. */
  until: () => Promise<unknown> = () => sleep(30);

  constructor(locks: LockManager) {
    this.locks = locks;
  }

  async charge(userId: string): Promise<unknown> {
    this.most = Math.max(this.most, ++this.running);
    await this.until();
    this.running--;
    const lock = currentLock();
    return [userId, lock?.name, lock?.isHeld, typeof lock?.fencingToken];
  }

  async report(): Promise<string> {
    return "reported";
  }

  watch(result: unknown): unknown {
    return result;
  }

  detached: Promise<unknown> = Promise.resolve();

  async detach(until: Promise<void>): Promise<unknown> {
    const later = async (): Promise<unknown> => {
      await until;
      return currentLock();
    };
    this.detached = later();
    return currentLock()?.name;
  }

  async fail(): Promise<never> {
    throw new Error("of the method");
  }
}
Injectable()(Payments);
InjectLocks()(Payments, undefined as never, 0);
const byUser: NameOf = (userId: string) => `user:${userId}`;
decorate(
  Payments.prototype,
  "charge",
  SetMetadata("above", 1),
  Locked(byUser),
  SetMetadata("below", 2),
);
decorate(Payments.prototype, "report", Locked("report", { ifAvailable: true }));
decorate(Payments.prototype, "watch", Locked("watch"));
decorate(Payments.prototype, "detach", Locked("detach"));
decorate(Payments.prototype, "fail", Locked(["a", "b"], { waitMs: 0 }));

describe("quorate/nestjs", function () {
  let fleet: RedisFleet;
  let others: LockManager;
  const apps: TestingModule[] = [];

  before(async () => {
    fleet = await RedisFleet.start({ nodes: 3 });
    others = new LockManager(fleet.urls, OPTIONS);
    await allNodes(others);
  });
  afterEach(() => Promise.all(apps.splice(0).map((app) => app.close())));
  after(async () => {
    await others.close();
    await fleet.stop();
  });

  const given = (): QuorateModuleOptions => ({ nodes: fleet.urls, options: OPTIONS });

  async function start(
    module = QuorateModule.forRoot(given()),
    providers: readonly Type[] = [Payments],
    more: readonly unknown[] = [],
  ): Promise<TestingModule> {
    const imports = [module, ...more] as never[];
    const app = await Test.createTestingModule({ imports, providers: [...providers] }).compile();
    // Else it tells of what was waiting when it shut down.
    app.useLogger(false);
    await app.init();
    apps.push(app);
    await allNodes(app.get(LockManager));
    return app;
  }

  it("injects one manager, and runs a method under a lock named by its arguments", async () => {
    const app = await start();
    const payments = app.get(Payments);
    expect(payments.locks).to.equal(app.get(LockManager));
    const answers = await Promise.all(["a", "a", "a"].map((id) => payments.charge(id)));
    for (const answer of answers) expect(answer).to.deep.equal(["a", "user:a", true, "number"]);
    expect(payments.most).to.equal(1);
    expect(currentLock()).to.equal(undefined);
    payments.until = () => eventually("side by side", () => payments.most === 2);
    await Promise.all([payments.charge("a"), payments.charge("b")]);
    await noLockKeys(fleet.nodes);
  });

  it("keeps what other decorators say about the method, above it and below", () => {
    const charge = Object.getOwnPropertyDescriptor(Payments.prototype, "charge")
      ?.value as () => unknown;
    expect(charge.name).to.equal("charge");
    const said = ["above", "below"].map((key) => Reflect.getMetadata(key, charge) as number);
    expect(said).to.deep.equal([1, 2]);
  });

  it("does not run a method whose name is held, with ifAvailable; else it rejects", async () => {
    const payments = (await start()).get(Payments);
    await using _ = await others.acquire(["report", "a"]);
    expect(await payments.report()).to.equal(undefined);
    await rejectionWith(LockContendedError, payments.fail());
  });

  it("is not the current lock of work that goes on after the method", async () => {
    const payments = (await start()).get(Payments);
    let goOn = (): void => {};
    expect(await payments.detach(new Promise((resolve) => (goOn = resolve)))).to.equal("detach");
    goOn();
    expect(await payments.detached).to.equal(undefined);
  });

  it("does not return an Observable, whose work would not be under the lock", async () => {
    const payments = (await start()).get(Payments);
    for (const observable of [of(1), Promise.resolve(of(1))]) {
      const error = await rejectionWith(TypeError, Promise.resolve(payments.watch(observable)));
      expect(error.message).to.match(/^@Locked Payments\.watch must not return an Observable, /);
    }
    for (const other of [undefined, null, 5, "text", { name: "a" }]) {
      expect(await payments.watch(other)).to.equal(other);
    }
    await noLockKeys(fleet.nodes);
  });

  it("refuses a generator, and bad options, when the class is defined", () => {
    class Wrong {
      async *ofMany(): AsyncGenerator<number> {
        yield 1;
      }
      *ofFew(): Generator<number> {
        yield 1;
      }
    }
    for (const key of ["ofMany", "ofFew"]) {
      expect(() => decorate(Wrong.prototype, key, Locked("many"))).to.throw(
        TypeError,
        `@Locked Wrong.${key} must not be a generator, which works after the release`,
      );
    }
    const misspelt = { wait: 5 } as object;
    expect(() => Locked("a", misspelt)).to.throw(TypeError, "did you mean `waitMs`?");
    expect(() => Locked("a", { waitMs: -1 })).to.throw(RangeError, "`waitMs` must be at least 0");
  });

  it("passes on what the method throws, and releases", async () => {
    const payments = (await start()).get(Payments);
    expect(await payments.report()).to.equal("reported");
    expect(await rejectionOf(payments.fail())).to.have.property("message", "of the method");
    await noLockKeys(fleet.nodes);
  });

  it("says what is missing where Nest did not make the object", async () => {
    const error = await rejectionOf(new Payments(others).report());
    expect(error)
      .to.have.property("message")
      .that.matches(/@Locked Payments\.report: the class was not instantiated by Nest, or/);
  });

  it("takes options that another provider makes", async () => {
    class Settings {
      readonly nodes = fleet.urls;
    }
    const settings = { module: Settings, providers: [Settings], exports: [Settings] };
    const module = QuorateModule.forRootAsync({
      imports: [settings],
      inject: [Settings],
      useFactory: async ({ nodes }: Settings) => ({ nodes, options: OPTIONS }),
    });
    const app = await start(module);
    expect(app.get(LockManager).nodes).to.have.length(3);
  });

  it("refuses bad options when the application starts", async () => {
    const starting = start(QuorateModule.forRoot({ nodes: [], options: OPTIONS }));
    expect(await rejectionOf(starting)).to.be.instanceOf(RangeError);
    for (const [bad, message] of [
      [{ drainMs: "20" }, /`drainMs` must be a number, got "20"/],
      [{ drainMs: -1 }, /`drainMs` must be at least 0 ms, got -1/],
      [{ drainMS: 20 }, /unknown option `drainMS`: did you mean `drainMs`\?/],
    ] as const) {
      const options = { ...given(), ...bad } as QuorateModuleOptions;
      const error = await rejectionOf(start(QuorateModule.forRoot(options)));
      expect((error as Error).message).to.match(message);
    }
  });

  it("lets locks that are held go on for drainMs when the application shuts down", async () => {
    const app = await start(QuorateModule.forRoot({ ...given(), drainMs: 10_000 }));
    const payments = app.get(Payments);
    let finish = (): void => {};
    payments.until = () => new Promise<void>((resolve) => (finish = resolve));
    const charging = payments.charge("a");
    await eventually("it has its lock", () => payments.running === 1);
    const closing = app.close();
    await sleep(30);
    finish();
    await closing;
    expect(await charging).to.include("user:a");
    expect(app.get(LockManager).isReady).to.equal(false);
    await noLockKeys(fleet.nodes);
  });

  it("is an indicator of Terminus", async () => {
    const app = await start(undefined, [Payments], [TerminusModule.forRoot({ logger: false })]);
    const [health, quorum] = [app.get(HealthCheckService), app.get(QuorateHealthIndicator)];
    const check = () => health.check([() => quorum.check()]);
    const up = await check();
    expect(up).to.have.property("status", "ok");
    expect(up.details["quorum"]).to.deep.include({ status: "up", nodeCount: 3, size: 2, votes: 3 });
    await app.get(LockManager).close();
    const error = (await rejectionOf(check())) as { getStatus(): number; getResponse(): unknown };
    expect(error.getStatus()).to.equal(503);
    expect(error.getResponse()).to.have.nested.property("error.quorum.status", "down");
    expect(quorum.check("locks")).to.have.property("locks");
  });

  it("with @nestjs/schedule lets each fire run on one instance", async () => {
    const runs: number[] = [];
    const instances = await Promise.all(
      [1, 2, 3].map(async (instance) => {
        class Jobs {
          readonly registry: SchedulerRegistry;
          constructor(registry: SchedulerRegistry) {
            this.registry = registry;
          }
          async report(): Promise<void> {
            runs.push(instance);
          }
        }
        Injectable()(Jobs);
        Inject(SchedulerRegistry)(Jobs, undefined as never, 0);
        const once = { ifAvailable: true, waitMs: 1_000, minHoldMs: 20_000, ttlMs: 40_000 };
        decorate(
          Jobs.prototype,
          "report",
          Cron("* * * * * *", { name: "report" }),
          Locked("report", once),
        );
        return await start(undefined, [Jobs], [ScheduleModule.forRoot()]);
      }),
    );
    await eventually("it has run", () => runs.length > 0);
    await sleep(2_500);
    expect(runs, "the name stays closed for its minimum").to.have.length(1);
    await Promise.all(instances.map((app) => app.close()));
  });
});
