import type { ForceReleaseResult } from "../index.js";
import { defineCommand, fingerprint, flag } from "./command.js";
import { withLocks } from "./connect.js";
import { EXIT, UsageError } from "./exit-codes.js";
import { holderRow } from "./inspect.js";
import { printable, table } from "./output.js";

export const release = defineCommand({
  name: "release",
  summary: "End a lock, regardless of its holder",
  synopsis: "NAME --force [OPTIONS]",
  words: { min: 1, max: 1, title: "one NAME" },
  options: {
    force: flag({ help: "required, because the holder is not asked and learns of it later" }),
    fingerprint: fingerprint("only this holder, as shown by `quorate inspect`, and no later one"),
  },
  notes: `
The holder, if it is alive, is told by the nodes; if that fails, it learns of it at its next renewal (a
third of its ttl after the last one), or when its validity ends. Until then it and the next holder may
both run at the same time: let the store check fencing tokens. Exits 0 if a quorum of nodes released the
name, or it was free; 69 if too few nodes answered.`,
  examples: ["quorate release nightly --force --fingerprint 1f6bb2a0"],
  async run(call) {
    const { words, values, output } = call;
    const [name = ""] = words;
    const { force, fingerprint: holder } = values;
    if (force !== true) {
      throw new UsageError("release needs --force: it ends the lock without asking its holder");
    }
    const { result, nodeCount } = await withLocks(call, { names: words }, async (locks) => ({
      result: await locks.forceRelease(name, holder === undefined ? {} : { fingerprint: holder }),
      nodeCount: locks.nodes.length,
    }));
    if (output.isJson) output.json(result);
    else output.print(resultText(result, nodeCount, holder));
    return result.isQuorate ? EXIT.ok : EXIT.unavailable;
  },
});

function resultText(
  { name, removed, nodes, isQuorate }: ForceReleaseResult,
  nodeCount: number,
  holder: string | undefined,
): string {
  const shown = printable(name);
  const votes = `${nodes.length} of ${nodeCount} nodes`;
  const holders = table(removed.map((holder) => holderRow(holder, nodeCount)));
  if (!isQuorate) {
    const seen = removed.length === 0 ? "" : `\n${holders}`;
    return `only ${votes} released ${shown}: it may still be held. Try again.${seen}`;
  }
  if (removed.length === 0) {
    const by = holder === undefined ? "" : ` by ${holder}`;
    return `nothing to release: ${shown} is not held${by}`;
  }
  return `released ${shown} on ${votes}\n${holders}`;
}
