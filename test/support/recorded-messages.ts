import { CHANNELS } from "../../src/telemetry/channels.js";
import type {
  AcquireMessage,
  ExtendMessage,
  LateMessage,
  LostMessage,
  NodeMessage,
  ReleaseMessage,
  RequestMessage,
  RoundMessage,
  WaitingMessage,
} from "../../src/index.js";

type Event = "start" | "end" | "asyncStart" | "asyncEnd" | "error";
const EVENTS: readonly Event[] = ["start", "end", "asyncStart", "asyncEnd", "error"];
const TRACED = ["acquire", "extend", "release", "request"] as const;
const PLAIN = ["round", "late", "lost", "node", "waiting"] as const;

/** The names of all channels that are published on, by the name that users subscribe to. */
export const CHANNEL_NAMES: readonly string[] = [
  ...TRACED.flatMap((name) => EVENTS.map((event) => `tracing:quorate:${name}:${event}`)),
  ...PLAIN.map((name) => `quorate:${name}`),
];

interface Channel {
  subscribe(listener: (message: unknown) => void): void;
  unsubscribe(listener: (message: unknown) => void): boolean | void;
}

/** Every channel, with what it is called here: `acquire start`, `lost`. */
export function allChannels(): [string, Channel][] {
  return [
    ...TRACED.flatMap((name) =>
      EVENTS.map((event): [string, Channel] => [
        `${name} ${event}`,
        CHANNELS[name][event] as Channel,
      ]),
    ),
    ...PLAIN.map((name): [string, Channel] => [name, CHANNELS[name] as Channel]),
  ];
}

/** All that is published until it is disposed of. */
export class RecordedMessages implements Disposable {
  /** As it was when it was published. */
  readonly all: { readonly channel: string; readonly message: object }[] = [];
  readonly #undo: (() => void)[] = [];

  constructor() {
    for (const [channel, source] of allChannels()) {
      const listener = (message: unknown): void => {
        this.all.push({ channel, message: { ...(message as object) } });
      };
      source.subscribe(listener);
      this.#undo.push(() => source.unsubscribe(listener));
    }
  }

  /** What was published on one of them. */
  of<Message>(channel: string): Message[] {
    return this.all.flatMap((each) => (each.channel === channel ? [each.message as Message] : []));
  }

  get acquires(): string[] {
    return this.of<AcquireMessage>("acquire asyncEnd").map(({ outcome }) => String(outcome));
  }

  get extends(): string[] {
    return this.of<ExtendMessage>("extend asyncEnd").map(
      ({ outcome, isLate }) => `${outcome}${isLate ? " late" : ""}`,
    );
  }

  get releases(): string[] {
    return this.of<ReleaseMessage>("release asyncEnd").map(({ result }) => String(result));
  }

  get requests(): string[] {
    return this.of<RequestMessage>("request asyncEnd").map(({ outcome }) => String(outcome));
  }

  /** Such as `acquire won granted,granted,refused`. */
  get rounds(): string[] {
    return this.of<RoundMessage>("round").map(
      ({ kind, verdict, votes }) =>
        `${kind} ${verdict} ${votes.map(({ vote, fault }) => fault ?? vote).join()}`,
    );
  }

  get late(): LateMessage[] {
    return this.of<LateMessage>("late");
  }

  get losses(): string[] {
    return this.of<LostMessage>("lost").map(({ reason, cause }) =>
      `${reason} ${cause ?? ""}`.trim(),
    );
  }

  get nodes(): string[] {
    return this.of<NodeMessage>("node").map(
      ({ node, previous, state }) => `${node} ${previous} > ${state}`,
    );
  }

  get waiting(): string[] {
    return this.of<WaitingMessage>("waiting").map(
      ({ name, change, count }) => `${name} ${change > 0 ? "+" : "-"} ${count}`,
    );
  }

  [Symbol.dispose](): void {
    for (const undo of this.#undo) undo();
  }
}
