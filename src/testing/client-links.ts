import { checkClient } from "./arguments.js";
import { TcpLink } from "./tcp-link.js";
import type { TcpLinkOptions } from "./options.js";

/** Per-client links to one server, by client name. */
export class ClientLinks {
  readonly #options: TcpLinkOptions;
  readonly #links = new Map<string, Promise<TcpLink>>();
  #stopped = false;

  /** @param options the target of all links */
  constructor(options: TcpLinkOptions) {
    this.#options = options;
  }

  /** The client's link; started on first use. */
  async of(client: string): Promise<TcpLink> {
    checkClient(client);
    if (this.#stopped) throw new Error("cannot link to a node that was stopped");
    const known = this.#links.get(client);
    if (known !== undefined) return known;
    const starting = TcpLink.start(this.#options);
    this.#links.set(client, starting);
    // So that the next call tries again.
    starting.catch(() => this.#links.delete(client));
    return starting;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    // The caller of a link that failed to start has already received its error.
    const links = await Promise.allSettled(this.#links.values());
    const started = links.flatMap((link) => (link.status === "fulfilled" ? link.value : []));
    await Promise.all(started.map((link) => link.stop()));
  }
}
