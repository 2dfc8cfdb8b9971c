import type { TracingChannel } from "node:diagnostics_channel";
import type { TypedChannel } from "../../telemetry/channels.js";

type Listener<Message> = (message: Message) => void;
type Events<Message> = {
  readonly [event in "start" | "asyncEnd"]?: Listener<Message>;
};
/** Subscriptions that end together. */
export class Subscriptions {
  readonly #ends: (() => void)[] = [];

  plain<Message>(channel: TypedChannel<Message>, listener: Listener<Message>): void {
    const onMessage = (message: unknown): void => listener(message as Message);
    channel.subscribe(onMessage);
    this.#ends.push(() => channel.unsubscribe(onMessage));
  }

  traced<Message extends object>(
    channel: TracingChannel<unknown, Message>,
    { start, asyncEnd }: Events<Message>,
  ): void {
    if (start !== undefined) this.plain(channel.start, start);
    if (asyncEnd !== undefined) this.plain(channel.asyncEnd, asyncEnd);
  }

  /** The callback is called when the subscriptions end. */
  onEnd(callback: () => void): void {
    this.#ends.push(callback);
  }

  end(): void {
    for (const end of this.#ends.splice(0)) end();
  }
}
