import type { NameFinder } from "../operator/find-names.js";
import type { LockManager } from "../index.js";
import type { Call } from "./command.js";
import { checkingNodes, withConnection, type Checked } from "./connect.js";

/** Runs a function that finds names on the nodes and queries them; always closes all connections. */
export async function withFinder<T>(
  checked: Checked,
  call: Pick<Call, "output">,
  run: (finder: NameFinder, locks: LockManager) => Promise<T>,
): Promise<T> {
  const { NameFinder: Finder } = await import("../operator/find-names.js");
  const { nodes, options } = checked;
  const finder = checkingNodes(checked, () => new Finder(nodes, options));
  try {
    return await withConnection(checked, call, (locks) => run(finder, locks), true);
  } finally {
    finder.close();
  }
}
