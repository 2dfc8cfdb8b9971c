// The package's own declarations cannot be resolved from an ES module.
declare module "redlock" {
  import type { Redis } from "ioredis";

  export interface Lock {
    release(): Promise<unknown>;
  }

  export default class Redlock {
    constructor(clients: Iterable<Redis>, settings?: { readonly retryCount: number });
    acquire(resources: string[], durationMs: number): Promise<Lock>;
  }
}
