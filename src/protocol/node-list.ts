/**
 * The list of nodes that the clients of a key prefix use, as each node has it on record.
 *
 * Quorums of two different lists need not overlap, so clients with different lists do not exclude each other. A node has
 * an id of its own, on its record: it survives a restart and a quarantine, and what the node is called does not matter.
 * A node that lost everything gets its id back from a client that knows it, or, by the name that it has in the lists of
 * the others, from any: also from the first client of a key prefix, by the list that those of another have written last.
 */

export interface ListedNode {
  readonly id: string;
  /** What the client that wrote the list calls it: `host:port`. */
  readonly name: string;
}

/** A node as this client has it. */
export interface OwnNode {
  readonly name: string;
  /** Undefined until it was seen: it may be any of those that are listed. "" where the node has none. */
  readonly id: string | undefined;
}

/** What a handshake writes where it is missing. */
export interface ListOffer {
  readonly keyPrefix: string;
  /** The id of the node; undefined if it is not known. */
  readonly nodeId: string | undefined;
  /** Without one, it gets a random id. */
  readonly isToGetId: boolean;
  /** All nodes of this client; undefined as long as their ids are not known, or others use other nodes. */
  readonly list: string | undefined;
  /** With a list: the highest fence of all of them. A node that gets the list issues higher ones from then on. */
  readonly topFence?: number | undefined;
}

/** No list is longer. */
const MAX_NODES = 100;

/** The field of the record that has the list. */
export function listFieldOf(keyPrefix: string): string {
  return `nodes:${keyPrefix}`;
}

/** The field of the record that has the list which was written last, for whatever key prefix. */
export const LAST_LIST_FIELD = "lastNodes";

/** As it is on record; the same for the same ids and names, in whatever order they are given. */
export function nodeListText(nodes: readonly ListedNode[]): string {
  const words = nodes.map(({ id, name }) => `${id}=${encodeURIComponent(name)}`);
  return words.toSorted().join(" ");
}

/** Undefined for what {@link nodeListText} does not write. */
export function parseNodeList(text: string): readonly ListedNode[] | undefined {
  const nodes: ListedNode[] = [];
  for (const word of text.split(" ", MAX_NODES + 1)) {
    const [, id, encoded = ""] = /^([\w-]{1,128})=([\w.!~*'()%-]{1,1000})$/.exec(word) ?? [];
    const name = decoded(encoded);
    if (id === undefined || name === undefined) return undefined;
    nodes.push({ id, name });
  }
  const isUnique = new Set(nodes.map(({ id }) => id)).size === nodes.length;
  return isUnique && nodes.length <= MAX_NODES ? nodes : undefined;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** That two of our nodes have one id, by which lists tell them apart, for people; undefined if none do. */
export function copyText(own: readonly OwnNode[]): string | undefined {
  const ids = own.map(({ id }) => id);
  const isCopy = ({ id }: OwnNode, at: number): boolean => Boolean(id) && ids.indexOf(id) !== at;
  const copy = own.find(isCopy);
  if (copy === undefined) return undefined;
  const one = own[ids.indexOf(copy.id)]?.name;
  return `${one} and ${copy.name} count as one, having one id on record: the data of one was copied to the other, which must be emptied (FLUSHALL)`;
}

/**
 * Whether our nodes are those of the list. A node that was not seen yet counts as one of them: without it, a quorum of
 * ours consists of listed nodes, and overlaps all others.
 */
export function isSameList(listed: readonly ListedNode[], own: readonly OwnNode[]): boolean {
  const ids = new Set(listed.map(({ id }) => id));
  const isAlike = listed.length === own.length && copyText(own) === undefined;
  return isAlike && own.every(({ id }) => id === undefined || ids.has(id));
}

/** The id that a node had in one of the lists, by its name; undefined if another node of ours has it. */
export function idOnLists(
  name: string,
  lists: readonly (readonly ListedNode[])[],
  own: readonly OwnNode[],
): string | undefined {
  const named = lists.flatMap((list) => list.filter((each) => each.name === name));
  const id = named[0]?.id;
  const isClear = named.every((each) => each.id === id) && own.every((each) => each.id !== id);
  return isClear ? id : undefined;
}

/** Both lists, for people. */
export function differenceText(
  listed: readonly ListedNode[],
  own: readonly OwnNode[],
  keyPrefix: string,
): string {
  const [theirs, ours] = [listed, own].map((list) => list.map(({ name }) => name).toSorted());
  const there = theirs?.join(", ");
  const here = ours?.join(", ");
  const isByName = there !== here;
  const which = isByName ? `${here} here` : "here, too, but not all of them are the same servers";
  return `other clients of ${JSON.stringify(keyPrefix)} use ${there} (on record), ${which}`;
}
