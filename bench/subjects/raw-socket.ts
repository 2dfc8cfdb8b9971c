import { randomUUID } from "node:crypto";
import { callOf, grantOf, valuesOf, type Encoded } from "../raw-socket/commands.js";
import { FanOut } from "../raw-socket/fan-out.js";
import { COMPARE_AND_DELETE } from "./compare-and-delete.js";
import type { Subject } from "./subject.js";

/**
 * The floor: the two commands of a lock without a client library, encoded in advance. The best that the machine can
 * do.
 */
export function rawSocket(): Subject {
  let nodes: FanOut | undefined;
  const nextValue = valuesOf(randomUUID().slice(0, 8));
  const encoded = new Map<string, { grant: Encoded; release: Encoded }>();
  const commandsOf = (name: string): { grant: Encoded; release: Encoded } => {
    const known = encoded.get(name);
    if (known !== undefined) return known;
    const key = `lock:${name}`;
    const commands = { grant: grantOf(key), release: callOf(COMPARE_AND_DELETE, key) };
    encoded.set(name, commands);
    return commands;
  };
  return {
    sends: ["set", "evalsha"],
    open: async (urls) => {
      nodes = await FanOut.open(urls, [COMPARE_AND_DELETE]);
    },
    cycle: async (name) => {
      const { grant, release } = commandsOf(name);
      const value = nextValue();
      await nodes?.send(grant(value));
      await nodes?.send(release(value));
    },
  };
}
