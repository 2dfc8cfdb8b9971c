// The package's own declarations cannot be resolved from an ES module.
declare module "redlock" {
  import type { Redis } from "ioredis";

  export default class Redlock {
    constructor(clients: Iterable<Redis>);
    quit(): Promise<void>;
  }
}
