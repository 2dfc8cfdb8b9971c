import type { Capabilities } from "../../src/protocol/capabilities.js";

/** A server that has all that locks need. */
export const CAPABLE: Capabilities = {
  ...{
    atomicScripts: true,
    interleaves: false,
    undeclaredKeys: true,
    infoInScript: true,
    runId: true,
    pubSub: true,
  },
  ...{ evicts: false, eviction: "noeviction", role: "master", mode: "standalone", lua: "5.1" },
};
