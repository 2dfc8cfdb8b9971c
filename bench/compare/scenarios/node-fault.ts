import type { FleetNode } from "../../../src/testing/index.js";

/** Something that happens to a node's process. */
export interface NodeFault {
  readonly word: "frozen" | "dead";
  readonly how: string;
  readonly strike: (node: FleetNode) => Promise<void>;
}

export const FROZEN: NodeFault = {
  word: "frozen",
  how: "stopped with SIGSTOP: connections stay open, nothing is answered",
  strike: (node) => node.pause(),
};

export const DEAD: NodeFault = {
  word: "dead",
  how: "killed: connections break, new ones are refused",
  strike: (node) => node.kill(),
};

export const CLIENT_NOTE =
  "By default, ioredis waits indefinitely for a reply, and queues commands while a node is unreachable. Its `commandTimeout` limits both. None of the other READMEs asks for it, so runs with it are listed separately.";
