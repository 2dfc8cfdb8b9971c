import { fingerprintOf } from "../src/inspect/fingerprint.js";

/** Tells whose a fingerprint is that an operator is shown, of all owners that ever stood on a node. */
export class Fingerprints {
  readonly #ownerIds = new Set<string>();

  add(ownerId: string): void {
    this.#ownerIds.add(ownerId);
  }

  /** @throws Error if nobody has it */
  of(fingerprint: string): string {
    for (const ownerId of this.#ownerIds) {
      if (fingerprintOf(ownerId) === fingerprint) return ownerId;
    }
    throw new Error(`nobody has the fingerprint ${fingerprint}`);
  }
}
