import {
  copyText,
  differenceText,
  idOnLists,
  isSameList,
  nodeListText,
  parseNodeList,
  type ListedNode,
  type ListOffer,
  type OwnNode,
} from "../protocol/node-list.js";
import type { IncarnationRecord } from "../protocol/record.js";
import type { Handshake } from "./node-connection.js";

interface Seen {
  /** Undefined where there is none. */
  readonly record: IncarnationRecord | undefined;
  /** Undefined where there is none on record, or none that can be read. */
  readonly listed: readonly ListedNode[] | undefined;
  readonly isGarbage: boolean;
  /** The last on record, of clients of any key prefix. */
  readonly lastListed: readonly ListedNode[] | undefined;
}

/** What follows from what was seen of all nodes. Each list in node order. */
interface Found {
  /** Undefined where it is not known. Of a node that has lost its id: the one that it had. */
  readonly ids: readonly (string | undefined)[];
  /** Some node has a list on record. */
  readonly isListed: boolean;
  /** What is different on each node's record; undefined where nothing is. */
  readonly differences: readonly (string | undefined)[];
  /** The list of this client; undefined as long as it is not whole, or others use other nodes. */
  readonly text: string | undefined;
}

/** Which nodes the other clients of this key prefix use, as far as the nodes have shown it. */
export class NodesOfOthers {
  readonly #keyPrefix: string;
  readonly #names: readonly string[];
  readonly #seen: (Seen | undefined)[];
  /** The ids that the nodes had when they were last seen with one. */
  readonly #ids: (string | undefined)[];
  /** What was offered last, so that a node on which nothing can be written is not asked again and again. */
  readonly #offered: (string | undefined)[];
  /** Undefined after a node was seen, until it is asked for. */
  #found: Found | undefined;

  /** @param names in node order */
  constructor(keyPrefix: string, names: readonly string[]) {
    this.#keyPrefix = keyPrefix;
    this.#names = names;
    this.#seen = names.map(() => undefined);
    this.#ids = names.map(() => undefined);
    this.#offered = names.map(() => undefined);
  }

  onSeen(
    index: number,
    { record, nodeList, lastNodeList }: Pick<Handshake, "record" | "nodeList" | "lastNodeList">,
  ): void {
    const listed = nodeList === "" ? undefined : parseNodeList(nodeList);
    const isGarbage = nodeList !== "" && listed === undefined;
    this.#seen[index] = { record, listed, isGarbage, lastListed: parseNodeList(lastNodeList) };
    if (record !== undefined && record.nodeId !== "") this.#ids[index] = record.nodeId;
    this.#found = undefined;
  }

  /** What is different on the node's record; undefined if nothing is. */
  differenceOn(index: number): string | undefined {
    return this.#find().differences[index];
  }

  /** The difference on any node. */
  get difference(): string | undefined {
    return this.#find().differences.find((found) => found !== undefined);
  }

  offerFor(index: number): ListOffer {
    const { ids, isListed, text } = this.#find();
    const nodeId = ids[index];
    // As long as nodes are missing, the list that names it may be on one of them.
    const isToGetId = nodeId === undefined && (this.#isAllSeen || isListed);
    return { keyPrefix: this.#keyPrefix, nodeId, isToGetId, list: text };
  }

  /** Nodes on whose record something is missing that is known by now. Each is named once. */
  takeLacking(): readonly number[] {
    return [...this.#names.keys()].filter((index) => {
      const seen = this.#seen[index];
      if (seen?.record === undefined || seen.record.state === "unkept") return false;
      const { nodeId, isToGetId, list } = this.offerFor(index);
      const lacksId = seen.record.nodeId === "" && (isToGetId || nodeId !== undefined);
      const lacksList = seen.listed === undefined && list !== undefined;
      const offer = `${seen.record.id} ${lacksId ? nodeId : ""} ${lacksList ? list : ""}`;
      if (!(lacksId || lacksList) || this.#offered[index] === offer) return false;
      this.#offered[index] = offer;
      return true;
    });
  }

  get #isAllSeen(): boolean {
    return this.#seen.every((seen) => seen !== undefined);
  }

  #find(): Found {
    this.#found ??= this.#findNow();
    return this.#found;
  }

  #findNow(): Found {
    const lists = this.#seen.flatMap((seen) => (seen?.listed ? [seen.listed] : []));
    const recorded = this.#seen.map((seen) => seen?.record?.nodeId);
    // What another one has on record was copied from it: its own is in the lists, or it gets another.
    const isOfOther = (id: string, index: number): boolean =>
      recorded.some((other, at) => at !== index && other === id);
    const known = this.#names.map((name, index) => {
      const id = this.#ids[index];
      return { name, id: id !== undefined && isOfOther(id, index) ? undefined : id };
    });
    // A node that is missing may have the list of our prefix, or an id that is in another.
    const last = this.#seen.flatMap((seen) => (seen?.lastListed ? [seen.lastListed] : []));
    const lastOfAll = this.#isAllSeen ? last : [];
    const ids = known.map(
      ({ name, id }) => id ?? idOnLists(name, lists, known) ?? idOnLists(name, lastOfAll, known),
    );
    // With a record, but without an id, it is none that others have listed.
    const own = this.#names.map((name, index) => {
      return { name, id: recorded[index] || (ids[index] ?? recorded[index]) };
    });
    const copy = copyText(own);
    const differences = this.#seen.map((seen) => seen && (copy ?? this.#differenceOf(seen, own)));
    const nodes = this.#names.flatMap((name, index) => {
      const id = recorded[index] ?? "";
      return id === "" ? [] : { id, name };
    });
    const isSame = differences.every((found) => found === undefined);
    const isWhole = nodes.length === this.#names.length && isSame;
    const text = isWhole ? nodeListText(nodes) : undefined;
    return { ids, isListed: lists.length > 0, differences, text };
  }

  #differenceOf({ record, listed, isGarbage }: Seen, own: readonly OwnNode[]): string | undefined {
    if (record === undefined) return undefined;
    if (listed !== undefined) {
      return isSameList(listed, own) ? undefined : differenceText(listed, own, this.#keyPrefix);
    }
    if (isGarbage) return "the list of nodes on its record was written by no version of quorate";
    const { nodeCount } = record;
    // Written before there were lists. With the first of them, the count goes.
    if (nodeCount === 0 || nodeCount === own.length) return undefined;
    return `on record with ${nodeCount} nodes, configured here with ${own.length}`;
  }
}
