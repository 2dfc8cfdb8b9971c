import { EventEmitter, getEventListeners } from "node:events";
import type { LockManager } from "../../../src/index.js";
import type { SharedNodes } from "../../../src/nodes/shared-nodes.js";
import { callerOf, isSimulated } from "./caller.js";

/**
 * Counts what the library puts anywhere. This has to be loaded before the library and ioredis, which take over
 * what they find in Node's prototypes.
 */

/** What the library has put somewhere, and where it did so. */
interface Put {
  readonly what: string;
  readonly place: string;
  readonly isThere: () => boolean;
  /** May be there as long as connections are in use. */
  readonly isForUse: boolean;
}

type Listener = (...args: never[]) => unknown;

interface Client extends EventEmitter {
  readonly status: string;
  /** Of a Cluster: the connections to its members. */
  nodes?(): readonly unknown[];
}

/** Signals that tests made, and clients that they gave away, since {@link forget}. */
const testSignals = new WeakSet<EventTarget>();
const testClients = new WeakSet<Client>();
/** Of the library. */
const ownClients = new Map<Client, string>();
const timers = new Map<unknown, string>();
let listeners: Put[] = [];
let managerClass: typeof LockManager | undefined;
const managers = new Map<LockManager, string>();
/** Some of the simulator's die in the middle of all. */
const simulated = new WeakSet<LockManager>();
const nodesInUse = new Set<SharedNodes>();
const openCounts = new WeakMap<SharedNodes, number>();
/** What was left behind at the moment in which the last of all users had closed. */
let leftAtClose: string[] = [];

/** Nothing of the library is in use, so that nothing of it may be under way. */
function isUnused(): boolean {
  return openManagers().size === 0 && nodesInUse.size === 0;
}

/** Managers that are open, with the places where they were made. */
export function openManagers(): ReadonlyMap<LockManager, string> {
  return new Map([...managers].filter(([manager]) => isMade(manager)));
}

/** Timers that are armed though nothing is in use, in words. */
export function timersLeft(): string[] {
  return isUnused() ? [...timers.values()].map((place) => `a timer, set at ${place}`) : [];
}

/** Listeners and connections that are left, in words; connections end a moment after they were told to. */
export function leftovers(): string[] {
  listeners = listeners.filter(({ isThere }) => isThere());
  const counted = listeners.filter(({ isForUse }) => !isForUse || isUnused());
  const left = counted.map(({ what, place }) => `${what}, added at ${place}`);
  if (isUnused()) {
    for (const [client, place] of ownClients) {
      if (hasEnded(client)) ownClients.delete(client);
      else left.push(`a connection (${client.status}), opened at ${place}`);
    }
  }
  return [...left, ...leftAtClose];
}

/** Or never began. A Cluster goes from "end" back to "close" with the end of each further member's connection. */
function hasEnded(client: Client): boolean {
  const isUnconnected = client.status === "close" && client.nodes?.().length === 0;
  return client.status === "end" || client.status === "wait" || isUnconnected;
}

/** Leaves what was found out of what is told of the next test. */
export function forget(): void {
  const wasUnused = isUnused();
  listeners = wasUnused ? [] : listeners.filter(({ isForUse }) => isForUse);
  leftAtClose = [];
  if (!wasUnused) return;
  timers.clear();
  ownClients.clear();
}

/** Timers that nobody waits for once a manager is closed. */
const OF_MANAGERS = /^src\/(?:coordinator|channel|manager\/election)\//;

function onUserClosed(): void {
  if (!isUnused()) return;
  // At once, since what runs out soon would be missed later. Others are those of calls, which end later.
  const ofManagers = [...timers.values()].filter((place) => OF_MANAGERS.test(place));
  leftAtClose.push(...ofManagers.map((place) => `a timer after close, set at ${place}`));
}

/** A constructor that threw has made none. */
function isMade(manager: LockManager): boolean {
  try {
    return manager.nodes.length > 0;
  } catch {
    managers.delete(manager);
    return false;
  }
}

/** A method as it is now; whoever calls it says on what. */
function methodOf<T, K extends keyof T>(owner: T, name: K): T[K] {
  return owner[name];
}

function watchTimers(): void {
  const { setTimeout: set, clearTimeout: clear, setInterval: repeat, clearInterval } = globalThis;
  const watchedSet = (callback: Listener, ...rest: unknown[]): NodeJS.Timeout => {
    const { isLibrary, place } = callerOf(watchedSet);
    const timer: NodeJS.Timeout = Reflect.apply(set, globalThis, [
      (...args: never[]) => {
        timers.delete(timer);
        callback(...args);
      },
      ...rest,
    ]);
    if (isLibrary) timers.set(timer, place);
    return timer;
  };
  const watchedRepeat = (...args: unknown[]): NodeJS.Timeout => {
    const { isLibrary, place } = callerOf(watchedRepeat);
    const timer: NodeJS.Timeout = Reflect.apply(repeat, globalThis, args);
    if (isLibrary) timers.set(timer, place);
    return timer;
  };
  const forgetting = (original: typeof clear) => (timer: NodeJS.Timeout | undefined) => {
    timers.delete(timer);
    original(timer);
  };
  globalThis.setTimeout = Object.assign(watchedSet, set);
  globalThis.setInterval = Object.assign(watchedRepeat, repeat);
  globalThis.clearTimeout = forgetting(clear) as typeof clear;
  globalThis.clearInterval = forgetting(clearInterval) as typeof clearInterval;
}

function watchSignals(): void {
  globalThis.AbortController = class WatchedController extends AbortController {
    constructor() {
      super();
      if (callerOf(WatchedController as never).isTest) testSignals.add(this.signal);
    }
  };
  const timeout = methodOf(AbortSignal, "timeout");
  const watchedTimeout = (ms: number): AbortSignal => {
    const signal = timeout.call(AbortSignal, ms);
    if (callerOf(watchedTimeout).isTest) testSignals.add(signal);
    return signal;
  };
  AbortSignal.timeout = watchedTimeout;
  const { prototype } = EventTarget;
  const add = methodOf(prototype, "addEventListener");
  prototype.addEventListener = function addEventListener(type, listener, options): void {
    add.call(this, type, listener, options);
    if (listener === null || !testSignals.has(this)) return;
    const { isLibrary, place } = callerOf(addEventListener);
    if (!isLibrary) return;
    listeners.push({
      what: `a listener to "${type}" of a signal that the caller gave`,
      place,
      isThere: () => getEventListeners(this, type).includes(listener as never),
      isForUse: false,
    });
  };
}

function watchEmitters(): void {
  const { prototype } = EventEmitter;
  const on = methodOf(prototype, "on");
  const watched = function (this: EventEmitter, event: string | symbol, listener: Listener) {
    on.call(this, event, listener as never);
    const whose = whoseOf(this);
    if (whose === undefined) return this;
    const { isLibrary, place } = callerOf(watched);
    if (!isLibrary) return this;
    listeners.push({
      what: `a listener to "${String(event)}" of ${whose}`,
      place,
      isThere: () => this.rawListeners(event).includes(listener),
      // To the end of the clients that they were made from.
      isForUse: testClients.has(this as Client),
    });
    return this;
  };
  prototype.on = watched as typeof on;
  prototype.addListener = watched as typeof on;
  const inner = EventEmitter as unknown as { init: (this: EventEmitter, options: unknown) => void };
  const init = methodOf(inner, "init");
  inner.init = function watchedInit(options): void {
    init.call(this, options);
    if (isManager(this)) {
      if (isSimulated(watchedInit)) simulated.add(this);
      else managers.set(this, callerOf(watchedInit, true).place);
    }
    // By what it can do: there are two versions of ioredis.
    if (typeof (this as { duplicate?: unknown }).duplicate !== "function") return;
    const { isTest, isLibrary, place } = callerOf(watchedInit, true);
    if (isTest) testClients.add(this as Client);
    else if (isLibrary) ownClients.set(this as Client, place);
  };
}

/** Emitters that are not the library's own; undefined for all others. */
function whoseOf(emitter: EventEmitter): string | undefined {
  if (isManager(emitter)) return simulated.has(emitter) ? undefined : "a manager";
  if (emitter === process) return "the process";
  return testClients.has(emitter as Client) ? "a client that the caller gave" : undefined;
}

function isManager(emitter: EventEmitter): emitter is LockManager {
  return managerClass !== undefined && emitter instanceof managerClass;
}

/** Watches who opens connections and closes them. */
export function watchUsers(ofManagers: typeof LockManager, ofShared: typeof SharedNodes): void {
  managerClass = ofManagers;
  const { prototype } = ofManagers;
  const close = methodOf(prototype, "close");
  const watched = new WeakMap<Promise<void>, Promise<void>>();
  const watch = async (manager: LockManager, closing: Promise<void>): Promise<void> => {
    await closing;
    const { pending } = await manager.query();
    if (!managers.delete(manager)) return;
    leftAtClose.push(...pending.map(({ name }) => `a pending call for ${name} after close`));
    onUserClosed();
  };
  prototype.close = function watchedClose(...options): Promise<void> {
    const closing = close.apply(this, options);
    const known = watched.get(closing);
    if (known !== undefined) return known;
    // In a world of its own, where time may have come to its end.
    if (!managers.has(this)) return closing;
    const until = watch(this, closing);
    watched.set(closing, until);
    return until;
  };
  const shared = ofShared.prototype;
  const [open, closeShared] = [methodOf(shared, "open"), methodOf(shared, "close")];
  shared.open = async function watchedOpen(durationMs) {
    nodesInUse.add(this);
    openCounts.set(this, (openCounts.get(this) ?? 0) + 1);
    const nodes = await open.call(this, durationMs);
    if (nodes === undefined) nodesInUse.delete(this);
    return nodes;
  };
  shared.close = async function watchedClose() {
    const before = openCounts.get(this);
    await closeShared.call(this);
    // Opened again meanwhile, for the next operation.
    if (openCounts.get(this) !== before) return;
    nodesInUse.delete(this);
    onUserClosed();
  };
}

watchTimers();
watchSignals();
watchEmitters();
