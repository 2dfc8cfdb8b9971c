import { createHash } from "node:crypto";
import type { Clock, Entropy, Listening } from "../coordinator/ports.js";
import { watchChannel } from "../protocol/keys.js";
import {
  parseStanding,
  parseWatchMessage,
  provenStanding,
  type NodeStanding,
} from "../protocol/watching.js";
import { Ear } from "./inbox.js";
import type { Transport } from "./transport.js";

/** The messages of the nodes about one name, over a connection to each that tells observers. */
export class WatchedName implements Listening {
  readonly #ears: readonly Ear[];
  /** By which a node proves its messages; "" until it was asked. */
  readonly #secrets: string[] = [];
  readonly #onStanding: (index: number, standing: NodeStanding) => void;

  constructor(
    transports: readonly Transport[],
    lockKey: string,
    { clock, entropy }: { readonly clock: Clock; readonly entropy: Entropy },
    onStanding: (index: number, standing: NodeStanding) => void,
  ) {
    this.#onStanding = onStanding;
    const earOn = (transport: Transport, index: number): Ear =>
      new Ear(transport, watchChannel(lockKey), clock, entropy, {
        onMessage: (message) => this.#onMessage(index, message),
        onOpen: () => {},
        // They are found out by asking.
        mayPublish: () => true,
        onUnable: () => {},
      });
    this.#ears = transports.flatMap((transport, index) =>
      transport.hasInboxOnly === true ? [] : earOn(transport, index),
    );
  }

  open(): void {
    for (const ear of this.#ears) ear.open();
  }

  trust(index: number, secret: string): void {
    this.#secrets[index] = secret;
  }

  close(): void {
    for (const ear of this.#ears) ear.close();
  }

  /** Anybody who may publish can write there: what does not prove that it knows the secret counts for nothing. */
  #onMessage(index: number, message: string): void {
    const { proof, text = "" } = parseWatchMessage(message) ?? {};
    const secret = this.#secrets[index] ?? "";
    if (proof === undefined || secret === "") return;
    const expected = createHash("sha1").update(provenStanding(secret, text)).digest("hex");
    const standing = proof === expected ? parseStanding(text) : undefined;
    if (standing !== undefined) this.#onStanding(index, standing);
  }
}
