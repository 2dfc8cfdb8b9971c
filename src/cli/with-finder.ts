import type { NameFinder } from "../inspect/find-names.js";
import type { LockManager } from "../index.js";
import type { Call } from "./command.js";
import { checkingNodes, withConnection, type Checked } from "./connect.js";

/** Runs what looks for names on the nodes, and asks about them; closes all connections whatever comes of it. */
export async function withFinder<T>(
  checked: Checked,
  call: Pick<Call, "output">,
  run: (finder: NameFinder, locks: LockManager) => Promise<T>,
): Promise<T> {
  const { NameFinder: Finder } = await import("../inspect/find-names.js");
  const { nodes, options } = checked;
  const finder = checkingNodes(checked, () => new Finder(nodes, options));
  try {
    return await withConnection(checked, call, (locks) => run(finder, locks));
  } finally {
    finder.close();
  }
}
