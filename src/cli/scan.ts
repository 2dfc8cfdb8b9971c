import type { FoundNames } from "../operator/find-names.js";
import { printable } from "./output.js";

/** How complete a search for names was, as `ls` and `watch` print it with `--json`. */
export interface Scan {
  /** There are more names that match. */
  readonly isCut: boolean;
  /** Enough nodes were scanned that no held name can be missing. */
  readonly isComplete: boolean;
  /** Nodes that could not be scanned, and why. */
  readonly failures: readonly { readonly node: string; readonly message: string }[];
}

/** Several searches of the same nodes as one. Of none, nothing is missing. */
export function scanOf(found: readonly Omit<FoundNames, "names">[]): Scan {
  const failures = found.flatMap((each) => each.failures);
  const messages = new Map(failures.map(({ node, message }) => [node, message]));
  return {
    isCut: found.some(({ isCut }) => isCut),
    isComplete: found.every(({ isComplete }) => isComplete),
    failures: Array.from(messages, ([node, message]) => ({ node, message })),
  };
}

/** What must be said of it: nodes that were not scanned, and whether held names may be missing. */
export function gapsOf({ isComplete, failures }: Omit<Scan, "isCut">): readonly string[] {
  return [
    ...failures.map(({ node, message }) => `${node} was not scanned: ${printable(message)}`),
    ...(isComplete ? [] : ["too few nodes were scanned: held names may be missing"]),
  ];
}
