import type { Transport } from "../channel/transport.js";
import { boolean, checkOptions, MAX_TIMER_MS, number, whole } from "../runtime/validate.js";
import { OWN_TRANSPORT, type NodeWithTransport } from "../nodes/simulated-nodes.js";
import { CommandedTransport } from "../redis/command-transport.js";
import type { BatchConstants } from "../script/batch-encoder.js";
import { luaVm } from "./lua/lua-vm.js";
import { MemoryServer } from "./memory-server.js";
import { memoryTransport } from "./memory-transport.js";

/** Options of {@link memoryNodes}. */
export interface MemoryNodesOptions {
  /**
   * Nodes keep their keys when they crash, like Redis with `appendfsync always`, and are `durable` for the lock
   * manager.
   * @defaultValue false: a node that crashed has lost its data
   */
  readonly durable?: boolean | undefined;
}

const MAX_NODES = 100;
const MAX_STEP_MS = 1e12;

/**
 * Redis nodes in the memory of this process, for tests of code that uses locks:
 * `new LockManager(memoryNodes(3))`. They run the very scripts that the library sends to Redis servers, so a lock on
 * them behaves as a real one does. Several lock managers may share them, as processes share real nodes.
 *
 * Their clock is `Date`, and they wait by `setTimeout`: fake timers move them.
 *
 * @param count 1 to 100
 * @throws TypeError or RangeError for bad arguments, naming them.
 * @throws LuaMissingError if the package `wasmoon-lua5.1` is not installed.
 */
export function memoryNodes(count: number, options: MemoryNodesOptions = {}): MemoryNode[] {
  whole("count", count, 1, MAX_NODES);
  checkOptions(options, { durable: boolean });
  const isDurable = options.durable ?? false;
  // If it is missing, this throws, rather than connections failing later.
  luaVm();
  return Array.from({ length: count }, (_, index) => new MemoryNode(`memory-${index}`, isDurable));
}

/** One node of {@link memoryNodes}, and what can go wrong with it. */
export class MemoryNode implements NodeWithTransport {
  /** As errors and `locks.nodes` call it: `memory-0` and so on. */
  readonly name: string;
  readonly isDurable: boolean;
  readonly #server: MemoryServer;

  /** @internal */
  constructor(name: string, isDurable: boolean) {
    this.name = name;
    this.isDurable = isDurable;
    this.#server = new MemoryServer(name);
  }

  /** @internal */
  [OWN_TRANSPORT](constants: BatchConstants): Transport {
    return new CommandedTransport(memoryTransport(this.#server), constants);
  }

  /** Whether it runs: it has not crashed, or was restarted. */
  get isRunning(): boolean {
    return this.#server.isRunning;
  }

  /**
   * Runs one command on it, bypassing any delay: to see what is stored, or to change it.
   *
   * @param words the command and its arguments; only commands that locks use are known
   * @returns text, numbers, null and lists of them, as a client shows them
   * @throws Error if the node has crashed, or with Redis's error
   */
  async command(...words: (string | number)[]): Promise<unknown> {
    return this.#server.command(words.map(String));
  }

  /** All keys that it has now; of a node that has crashed none. */
  keys(): string[] {
    return this.#server.keys();
  }

  /** Stops it immediately: connections break, new ones are refused, and messages in flight are lost. */
  crash(): void {
    this.#server.stop();
  }

  /**
   * Starts it again after a crash, and crashes it before if it runs. Without `durable` it has forgotten all keys: then it does
   * not vote for `maxTtlMs`, like any node that lost its memory.
   */
  restart(): void {
    this.#server.stop();
    this.#server.start(this.isDurable);
  }

  /** It stops answering, with connections open, until {@link MemoryNode.thaw}. Keys go on expiring. */
  freeze(): void {
    this.#server.freeze();
  }

  /** It goes on: what was sent to it meanwhile runs now. */
  thaw(): void {
    this.#server.thaw();
  }

  /**
   * Requests reach it so much later from now on; in the order in which they are sent.
   *
   * @param ms 0 to 2^31 - 1; 0 for no delay, which is how it begins
   */
  delay(ms: number): void {
    this.#server.delayMs = number("ms", ms, 0, MAX_TIMER_MS);
  }

  /**
   * Steps its clock, by which its keys expire and its fences are bounded.
   *
   * @param ms forward, or back if negative
   */
  jumpClock(ms: number): void {
    this.#server.clockOffsetMs += number("ms", ms, -MAX_STEP_MS, MAX_STEP_MS);
  }
}
