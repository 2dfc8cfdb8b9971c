import {
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
}

/** Which nodes the other clients of this key prefix use, as far as the nodes have shown it. */
export class NodeLists {
  readonly #keyPrefix: string;
  readonly #names: readonly string[];
  readonly #seen: (Seen | undefined)[];
  /** The ids that the nodes had when they were last seen with one. */
  readonly #ids: (string | undefined)[];
  /** What was offered last, so that a node on which nothing can be written is not asked again and again. */
  readonly #offered: (string | undefined)[];

  /** @param names in node order */
  constructor(keyPrefix: string, names: readonly string[]) {
    this.#keyPrefix = keyPrefix;
    this.#names = names;
    this.#seen = names.map(() => undefined);
    this.#ids = names.map(() => undefined);
    this.#offered = names.map(() => undefined);
  }

  onSeen(index: number, { record, nodeList }: Pick<Handshake, "record" | "nodeList">): void {
    const listed = nodeList === "" ? undefined : parseNodeList(nodeList);
    this.#seen[index] = { record, listed, isGarbage: nodeList !== "" && listed === undefined };
    if (record !== undefined && record.nodeId !== "") this.#ids[index] = record.nodeId;
  }

  /** What is different on the node's record; undefined if nothing is. */
  differenceOn(index: number): string | undefined {
    const seen = this.#seen[index];
    if (seen?.record === undefined) return undefined;
    const own = this.#own();
    if (seen.listed !== undefined) {
      return isSameList(seen.listed, own)
        ? undefined
        : differenceText(seen.listed, own, this.#keyPrefix);
    }
    if (seen.isGarbage)
      return "the list of nodes on its record was written by no version of quorate";
    const { nodeCount } = seen.record;
    // Written before there were lists. With the first of them, the count goes.
    if (nodeCount === 0 || nodeCount === own.length) return undefined;
    return `on record with ${nodeCount} nodes, configured here with ${own.length}`;
  }

  /** The difference on any node. */
  get difference(): string | undefined {
    for (const index of this.#names.keys()) {
      const found = this.differenceOn(index);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  offerFor(index: number): ListOffer {
    const nodeId = this.#idOf(index);
    // As long as nodes are missing, the list that names it may be on one of them.
    const isAllSeen = this.#seen.every((seen) => seen !== undefined);
    const isToGetId = nodeId === undefined && (isAllSeen || this.#lists().length > 0);
    return { keyPrefix: this.#keyPrefix, nodeId, isToGetId, list: this.#text() };
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

  #text(): string | undefined {
    const nodes = this.#names.flatMap((name, index) => {
      const id = this.#seen[index]?.record?.nodeId ?? "";
      return id === "" ? [] : { id, name };
    });
    const isWhole = nodes.length === this.#names.length && this.difference === undefined;
    return isWhole ? nodeListText(nodes) : undefined;
  }

  #own(): readonly OwnNode[] {
    return this.#names.map((name, index) => ({
      name,
      // With a record, but without an id, it is none that others have listed.
      id: this.#idOf(index) ?? this.#seen[index]?.record?.nodeId,
    }));
  }

  /** Of a node that has lost it: the one that it had. */
  #idOf(index: number): string | undefined {
    const own = this.#names.map((name, at) => ({ name, id: this.#ids[at] }));
    return this.#ids[index] ?? idOnLists(this.#names[index] ?? "", this.#lists(), own);
  }

  #lists(): readonly (readonly ListedNode[])[] {
    return this.#seen.flatMap((seen) => (seen?.listed === undefined ? [] : [seen.listed]));
  }
}
