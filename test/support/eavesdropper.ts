import { createRequire } from "node:module";
import diagnostics from "node:diagnostics_channel";
import { inspect } from "node:util";
import { CHANNEL_NAMES } from "./recorded-messages.js";

const OF_IOREDIS = ["command", "batch", "connect"].flatMap((channel) =>
  ["start", "end", "asyncStart", "asyncEnd", "error"].map(
    (event) => `tracing:ioredis:${channel}:${event}`,
  ),
);
const CHANNELS = [...OF_IOREDIS, ...CHANNEL_NAMES];

interface Debug {
  enable(names: string): void;
  disable(): string;
  log: (...args: unknown[]) => void;
}

const require = createRequire(import.meta.url);
const debugOf = (name: string): Debug => createRequire(require.resolve(name))("debug");

/** Everything that leaves us, and ioredis, without being asked for: for tools for tracing, and for logs. */
export class Eavesdropper implements Disposable {
  /** What was published in our diagnostics channels and those of any copy of ioredis. */
  readonly published: string[] = [];
  /** What `DEBUG=ioredis:*` writes. */
  readonly logged: string[] = [];
  /** On which of them. */
  readonly channels = new Set<string>();
  readonly #onMessage = (message: unknown, channel: string | symbol): void => {
    this.published.push(textOf(message));
    this.channels.add(String(channel));
  };
  readonly #undo: (() => void)[] = [];

  constructor() {
    for (const channel of CHANNELS) diagnostics.subscribe(channel, this.#onMessage);
    for (const debug of new Set(["ioredis", "ioredis-5"].map(debugOf))) {
      const { log } = debug;
      debug.log = (...args) => this.logged.push(args.map(textOf).join(" "));
      debug.enable("ioredis:*");
      this.#undo.push(() => {
        debug.disable();
        debug.log = log;
      });
    }
  }

  [Symbol.dispose](): void {
    for (const channel of CHANNELS) diagnostics.unsubscribe(channel, this.#onMessage);
    for (const undo of this.#undo) undo();
  }
}

/** All that is to be seen of a value, hidden fields included. */
export function textOf(value: unknown): string {
  const all = inspect(value, { depth: 12, showHidden: true, maxStringLength: null });
  return typeof value === "string" ? value : all;
}
