import type { Capabilities, ConfigProblem } from "../protocol/capabilities.js";
import type { IncarnationRecord } from "../protocol/record.js";
import type { ListOffer } from "../protocol/node-list.js";
import type { Operation, Vote } from "../protocol/operation.js";

/** The port to one server: real connections in `redis/`, simulated ones in the simulator. */
export interface Transport {
  /** For people: `host:port`. */
  readonly name: string;
  /** What is wrong although connections are open, for people. */
  readonly problem?: string | undefined;
  /** Opens one connection. Its `onOpen` or `onClose` comes later, never from within this call. */
  connect(events: ConnectionEvents): Connection;
  /** Subscribes to a channel, over another connection; absent where messages are not delivered reliably. */
  subscribe?(channel: string, events: SubscriptionEvents): Subscription;
  /** It tells waiters and holders, and nobody who only observes: the inbox is the one channel to subscribe to. */
  readonly hasInboxOnly?: true;
}

export interface SubscriptionEvents {
  onOpen(): void;
  onMessage(message: string): void;
  /**
   * At most once, and not after {@link Subscription.close}.
   *
   * @param refusal why the server let nobody subscribe, if that is why
   */
  onClose(refusal?: string): void;
}

export interface Subscription {
  close(): void;
}

export interface ConnectionEvents {
  onOpen(): void;
  /** Exactly once, even if the connection never opened. No reply follows. */
  onClose(failure: ConnectionFailure): void;
}

export interface ConnectionFailure {
  readonly message: string;
  /** Retrying is pointless until an operator reconfigures the node. */
  readonly isMisconfigured: boolean;
  /** It is the same server as another node: what is misconfigured is the list. */
  readonly isListedTwice?: boolean | undefined;
  /** A reply was not that of its request. */
  readonly isOutOfStep?: true;
  /** The server has answered a handshake with an error. */
  readonly isOfHandshake?: true;
}

/**
 * One connection. Commands are executed in the order of sending. Every reply callback is called at most once; those
 * still pending when the connection closes are never called.
 */
export interface Connection {
  /** What it is waiting for, for people; absent where that is unknown. */
  readonly stage?: string | undefined;
  /** Asks for the server's identity, writes or opens its record, and ends its previous connection. */
  handshake(request: HandshakeRequest, reply: (reply: HandshakeReply) => void): void;
  /** One script call, a list of operations in, a list of votes out. Called in no caller's async context. */
  send(batch: Batch, reply: (reply: BatchReply) => void): void;
  /** Ends the connection immediately, unsent bytes included. `onClose` still follows. */
  close(): void;
}

export interface HandshakeRequest {
  /** Which its reply has to repeat. See `channel/node-connection`. */
  readonly number: number;
  /** Name that this connection gets on the server: letters, digits, `-` and `_`, never used before. */
  readonly connectionName: string;
  /** This client's previous connection to the node. */
  readonly previous: PreviousConnection | undefined;
  /** Id for the record, if one has to be written. */
  readonly newId: string;
  /** The content of a record that is written if there is none; undefined if none should be written. */
  readonly ifAbsent: "fresh" | "forgot" | undefined;
  readonly nodeCount: number;
  /** The longest ttl on record is raised to it, ms; 0 leaves it as it is. */
  readonly maxTtlMs: number;
  /** The longest ttl with which a record begins, ms. */
  readonly firstTtlMs: number;
  readonly clockStepMs: number;
  /** Wall clock of this client, ms. */
  readonly wallMs: number;
  /** A restart that kept the record has kept the keys, too. */
  readonly isDurable: boolean;
  readonly order: RecordOrder | undefined;
  /** What is written where it is missing: the node's id, and the list of all. */
  readonly nodeList: ListOffer;
  /** This client takes no locks: nothing is written. */
  readonly isLooking: boolean;
}

/** A connection as the server knows it. */
export interface PreviousConnection {
  readonly name: string;
  /** Meaningful only within one run of the server. */
  readonly connectionId: string;
}

/**
 * What to do with a node's record: with a missing one, or else with the one that has the id.
 *
 * - `fresh`: it is written
 * - `opening`: it is marked, if it is `fresh`
 * - `open`: it is opened, if it is `opening`
 * - `attested`: the node votes, and issues only fences above `topFence`
 */
export type RecordOrder =
  | { readonly becomes: "fresh" }
  | { readonly becomes: "opening"; readonly id: string; readonly fellows: string }
  | { readonly becomes: "open"; readonly id: string }
  | { readonly becomes: "attested"; readonly id: string; readonly topFence: number };

export type HandshakeReply =
  | {
      readonly kind: "handshake";
      /** The number that the script repeated; undefined if there was none. */
      readonly number: number | undefined;
      readonly connectionId: string;
      readonly runId: string;
      /** Undefined where there is none, and none was written. */
      readonly record: IncarnationRecord | undefined;
      readonly nodeTimeMs: number;
      /** The nodes of the clients of this key prefix, as they are on record; "" where that is unknown. */
      readonly nodeList: string;
      /** The list that was put on record last, by clients of whatever key prefix; "" where there is none. */
      readonly lastNodeList: string;
      /** The longest ttl on record before this handshake, ms; 0 if there was none. */
      readonly earlierTtlMs: number;
      readonly capabilities: Capabilities;
      /** Why the server must not vote, empty if it may. */
      readonly problems: readonly ConfigProblem[];
    }
  | { readonly kind: "failed"; readonly failure: ConnectionFailure };

export interface Batch {
  /**
   * Which its reply has to repeat. See `channel/node-connection`. Each operation has one, in sequence, and a refresh one
   * for each of its places: a transport that makes several calls of a batch sends with each the number of the first in
   * it.
   */
  readonly number: number;
  readonly operations: readonly Operation[];
  /** Incarnation that the sender knows; acquires are not executed under another. */
  readonly recordId: string;
  /** Send the whole script, because the server does not know it (any more). */
  readonly withScript: boolean;
}

export type BatchReply =
  | {
      readonly kind: "votes";
      /** The number that the script repeated; undefined if this is no reply of it to as many operations. */
      readonly number: number | undefined;
      /** One vote per operation, in order. */
      readonly votes: readonly Vote[];
      /** False if the node's record is not the one the sender named: the node lost its data. */
      readonly isSameIncarnation: boolean;
    }
  /** The server did not know the script; nothing was executed. */
  | { readonly kind: "noScript" }
  /** The user may not use a key of one of its operations, whichever that is; nothing was executed. */
  | { readonly kind: "forbidden"; readonly message: string }
  /** An error for the batch as a whole: it is unknown what was executed. */
  | {
      readonly kind: "error";
      readonly message: string;
      readonly isExecuted: "no" | "unknown";
      /** It lasts until an operator reconfigures the node. */
      readonly isMisconfigured?: boolean;
    };
