import type { Handshake } from "./node-connection.js";

/** Which server each node of the list is. One that is listed twice has one vote, not two. */
export class ServerIdentities {
  readonly #identities: (string | undefined)[] = [];

  /** @returns whether it is another one than before */
  see(index: number, handshake: Handshake): boolean {
    const [before, now] = [this.#identities[index], identityOf(handshake)];
    this.#identities[index] = now;
    return now !== before;
  }

  /** The other node that is the same server, by index. */
  duplicateOf(index: number, handshake: Handshake): number | undefined {
    const own = identityOf(handshake);
    if (own === undefined) return undefined;
    const other = this.#identities.findIndex((id, at) => id === own && at !== index);
    return other === -1 ? undefined : other;
  }
}

/**
 * What two nodes that are the same server have in common: its run, or, if it does not say, the random id of its record.
 * Undefined until such a server has one; before that it does not vote.
 */
function identityOf({ runId, record }: Handshake): string | undefined {
  return runId === "" ? record && `record ${record.id}` : runId;
}
