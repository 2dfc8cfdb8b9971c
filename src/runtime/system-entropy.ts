import { randomFillSync } from "node:crypto";
import type { Entropy } from "../coordinator/ports.js";

/** 128 bits per id: 22 characters of base64url. */
const ID_BYTES = 16;
const POOL_IDS = 256;

/** The operating system's randomness, fetched in blocks: one call per id would cost more than the id. */
export function systemEntropy(): Entropy {
  const pool = Buffer.alloc(ID_BYTES * POOL_IDS);
  let used = pool.length;
  return {
    unit: Math.random,
    id: () => {
      if (used === pool.length) {
        randomFillSync(pool);
        used = 0;
      }
      const id = pool.toString("base64url", used, used + ID_BYTES);
      used += ID_BYTES;
      return id;
    },
  };
}
