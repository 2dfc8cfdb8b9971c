import { fingerprintOf } from "../src/inspect/fingerprint.js";

/** Tells whose a fingerprint is that an operator is shown, of all owners that ever stood on a node. */
export class Fingerprints {
  readonly #ownerIds = new Set<string>();

  add(ownerId: string): void {
    this.#ownerIds.add(ownerId);
  }

  /** Undefined if nobody has it. */
  find(fingerprint: string): string | undefined {
    return [...this.#ownerIds].find((ownerId) => fingerprintOf(ownerId) === fingerprint);
  }

  /** @throws Error if nobody has it */
  of(fingerprint: string): string {
    const ownerId = this.find(fingerprint);
    if (ownerId === undefined) throw new Error(`nobody has the fingerprint ${fingerprint}`);
    return ownerId;
  }
}
