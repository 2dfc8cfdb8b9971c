import type { NodePort } from "../coordinator/ports.js";
import type { OperationKind, Vote } from "../protocol/operation.js";

/** The nodes, with one who listens to their votes on one kind of operation. */
export function tapped(
  nodes: readonly NodePort[],
  kind: OperationKind,
  onVote: (index: number, vote: Vote) => void,
): readonly NodePort[] {
  return nodes.map((node) => ({
    name: node.name,
    submit: (operation, receiver, isOwed) => {
      const heard = {
        onVote: (index: number, vote: Vote) => {
          onVote(index, vote);
          receiver.onVote(index, vote);
        },
      };
      node.submit(operation, operation.kind === kind ? heard : receiver, isOwed);
    },
  }));
}
