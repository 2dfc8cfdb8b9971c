import type { NodePort } from "../../coordinator/ports.js";
import type { OperationKind, Vote } from "../../protocol/operation.js";

/** A listener for one kind of operation. */
export interface Tap {
  onAsk?(): void;
  onVote(index: number, vote: Vote): void;
}

/** The nodes, with a listener for the operations of that kind and the votes on them. */
export function tapped(
  nodes: readonly NodePort[],
  kind: OperationKind,
  tap: Tap,
): readonly NodePort[] {
  return nodes.map((node) => ({
    name: node.name,
    submit: (operation, receiver, mayHold) => {
      if (operation.kind !== kind) {
        node.submit(operation, receiver, mayHold);
        return;
      }
      tap.onAsk?.();
      const heard = {
        onVote: (index: number, vote: Vote) => {
          tap.onVote(index, vote);
          receiver.onVote(index, vote);
        },
      };
      node.submit(operation, heard, mayHold);
    },
  }));
}
