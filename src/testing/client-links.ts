import { checkClient } from "./arguments.js";
import { TcpLink } from "./tcp-link.js";
import type { TcpLinkOptions } from "./options.js";

/** The links to one server that single clients have for themselves, by the clients' names. */
export class ClientLinks {
  readonly #options: TcpLinkOptions;
  readonly #links = new Map<string, Promise<TcpLink>>();
  #stopped = false;

  /** @param options where all of them lead */
  constructor(options: TcpLinkOptions) {
    this.#options = options;
  }

  /** The client's link; it is started when it is asked for the first time. */
  async of(client: string): Promise<TcpLink> {
    checkClient(client);
    if (this.#stopped) throw new Error("cannot link to a node that was stopped");
    const known = this.#links.get(client);
    if (known !== undefined) return known;
    const starting = TcpLink.start(this.#options);
    this.#links.set(client, starting);
    // Whoever asks next shall have another try.
    starting.catch(() => this.#links.delete(client));
    return starting;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    // One that could not start has told its caller.
    const links = await Promise.allSettled(this.#links.values());
    const started = links.flatMap((link) => (link.status === "fulfilled" ? link.value : []));
    await Promise.all(started.map((link) => link.stop()));
  }
}
