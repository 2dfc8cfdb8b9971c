import type { History, NodeEvent, Violate, VoteEvent } from "./history.js";
import { rootsOf } from "./names.js";

/** A time in which a node answered with errors. */
interface Trouble {
  readonly node: number;
  /** The only name it was about; undefined if it was about all of them. */
  readonly name: string | undefined;
  readonly fromUs: number;
  toUs: number;
}

/**
 * E2: an error on a node affects only its own operations. An executed operation reports an error only if the node had
 * errors for its own name while it was in flight: what affects one lock is no reason to lose another.
 */
export function checkErrors({ events }: History, violate: Violate): void {
  const troubles: Trouble[] = [];
  const sentUs = new Map<string, number>();
  for (const event of events) {
    if (event.kind === "node") noteTrouble(troubles, event);
    else if (event.kind === "send") sentUs.set(`${event.round} ${event.node}`, event.atUs);
    else if (event.kind === "vote" && isError(event)) {
      const fromUs = sentUs.get(`${event.round} ${event.node}`) ?? event.atUs;
      if (troubles.some((trouble) => explains(trouble, event, fromUs))) continue;
      const { op, ownerId, node, name, atUs } = event;
      const message = `${op} of ${ownerId} was told of an error on node ${node}, which had none for ${name}`;
      violate(atUs, message);
    }
  }
}

/** An error, or a fence that the node cannot have. */
function isError({ fault, sent }: VoteEvent): boolean {
  return (fault === "server" || fault === "implausible") && sent === true;
}

function noteTrouble(troubles: Trouble[], { what, node, name, atUs }: NodeEvent): void {
  if (what === "errors") {
    troubles.push({ node, name, fromUs: atUs, toUs: Number.POSITIVE_INFINITY });
  } else if (what === "calm") {
    const isOpen = (trouble: Trouble): boolean =>
      trouble.node === node && trouble.name === name && trouble.toUs > atUs;
    const ended = troubles.find(isOpen);
    if (ended) ended.toUs = atUs;
  }
}

function explains(trouble: Trouble, { node, name, atUs }: VoteEvent, sentUs: number): boolean {
  const isNamed = trouble.name === undefined || rootsOf(name).includes(trouble.name);
  const isAboutIt = trouble.node === node && isNamed;
  return isAboutIt && trouble.fromUs <= atUs && trouble.toUs >= sentUs;
}
