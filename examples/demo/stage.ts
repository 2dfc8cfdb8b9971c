import { setTimeout as sleep } from "node:timers/promises";
import { RedisFleet, type FleetNode } from "../../src/testing/index.js";
import { Checklist, NotSeenError } from "./checklist.js";
import { History } from "./history.js";
import type { Report, ServiceName, Status } from "./messages.js";
import { NodeWatch } from "./node-watch.js";
import { ServiceProcess } from "./service-process.js";
import { NODE_COUNT, PATIENCE_MS } from "./settings.js";
import { FencedStore } from "./store.js";

/** Where the story goes: lines, or a view that is drawn again and again. */
export interface Show {
  scene(title: string): void;
  say(text: string): void;
}

/** Everything that takes part: five nodes, two services, the store, and what was seen of them. */
export class Stage implements AsyncDisposable {
  readonly history = new History();
  readonly store = new FencedStore();
  readonly checklist = new Checklist();
  readonly #show: Show;
  readonly #stop: AbortController;
  #fleet: RedisFleet | undefined;
  #watches: readonly NodeWatch[] = [];
  #services: readonly ServiceProcess[] = [];

  /** @param stop aborted with its reason by whoever wants the demo to end; every wait heeds it. */
  constructor(show: Show, stop: AbortController) {
    this.#show = show;
    this.#stop = stop;
  }

  /** Starts servers and services and waits until the services may acquire. */
  async open(): Promise<void> {
    const fleet = await RedisFleet.start({ nodes: NODE_COUNT });
    this.#fleet = fleet;
    this.#stop.signal.throwIfAborted();
    this.#watches = fleet.nodes.map(({ port }) => new NodeWatch(port));
    this.#services = (["A", "B"] as const).map((name) => this.#startService(name, fleet.urls));
    await this.until("both services are connected to all nodes", 2 * PATIENCE_MS, () =>
      this.#services.every(
        ({ status }) =>
          status.nodes.length === NODE_COUNT &&
          status.nodes.every(({ state }) => state === "ready"),
      ),
    );
  }

  get nodes(): readonly FleetNode[] {
    return this.#fleet?.nodes ?? [];
  }

  /** In the order of {@link nodes}. */
  get watches(): readonly NodeWatch[] {
    return this.#watches;
  }

  get services(): readonly ServiceProcess[] {
    return this.#services;
  }

  scene(title: string): void {
    this.#show.scene(title);
  }

  say(text: string): void {
    this.#show.say(text);
  }

  async pause(ms: number): Promise<void> {
    const endMs = performance.now() + ms;
    await this.until("time goes by", Number.POSITIVE_INFINITY, () => performance.now() >= endMs);
  }

  /**
   * Waits until `look` comes to something, and resolves to it.
   *
   * @throws NotSeenError if it does not in time; the reason of whoever ends the demo.
   */
  async until<T>(what: string, timeoutMs: number, look: () => T | undefined | false): Promise<T> {
    const { signal } = this.#stop;
    const endMs = performance.now() + timeoutMs;
    for (;;) {
      signal.throwIfAborted();
      const found = look();
      if (found !== undefined && found !== false) return found;
      if (performance.now() > endMs) {
        throw new NotSeenError(`within ${timeoutMs} ms it was not seen that ${what}`);
      }
      await sleep(10);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const watch of this.#watches) watch[Symbol.dispose]();
    await Promise.all(this.#services.map((service) => service[Symbol.asyncDispose]()));
    await this.#fleet?.stop();
  }

  #startService(name: ServiceName, urls: readonly string[]): ServiceProcess {
    return new ServiceProcess(
      name,
      urls,
      (report) => this.#onReport(name, report),
      (error) => this.#stop.abort(error),
    );
  }

  #onReport(by: ServiceName, report: Exclude<Report, Status>): void {
    switch (report.kind) {
      case "granted":
        this.history.begin(by, report.token, report.atMs);
        this.say(`${by} is granted the lock, token ${report.token}`);
        break;
      case "released":
        this.history.end(by, report.atMs);
        break;
      case "lost":
        this.history.end(by, report.atMs);
        this.say(`${by} lost the lock (${report.reason}): its signal is aborted`);
        break;
      case "write":
        this.store.write(report.token);
        break;
    }
  }
}
