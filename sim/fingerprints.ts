import { fingerprintOf } from "../src/operator/fingerprint.js";

/** Maps the fingerprints that operators see to owners: all owners that were ever stored on a node. */
export class Fingerprints {
  readonly #ownerIds = new Set<string>();

  add(ownerId: string): void {
    this.#ownerIds.add(ownerId);
  }

  /** Undefined if it is nobody's fingerprint. */
  find(fingerprint: string): string | undefined {
    return [...this.#ownerIds].find((ownerId) => fingerprintOf(ownerId) === fingerprint);
  }

  /** @throws Error if it is nobody's fingerprint */
  of(fingerprint: string): string {
    const ownerId = this.find(fingerprint);
    if (ownerId === undefined) throw new Error(`nobody has the fingerprint ${fingerprint}`);
    return ownerId;
  }
}
