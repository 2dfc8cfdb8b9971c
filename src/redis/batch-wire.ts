import { Command } from "ioredis";
import type { Operation } from "../protocol/operation.js";
import { RECORD_KEY } from "../protocol/keys.js";
import { argumentsOf, groupSize, headOf, keysOf, type BatchConstants } from "./batch-codec.js";

/**
 * Batches as bytes of the Redis protocol.
 *
 * The same operations go to all nodes, so each is encoded once, and a batch whose operations are
 * those of the last one (the usual case: the same tick on the next node) reuses its text too.
 * Left to ioredis, the arguments of a batch are joined anew for every node: that was half of the
 * client's time under load.
 */
export class BatchWire {
  readonly #constants: string;
  #lastOperations: readonly Operation[] = [];
  #last: JoinedWire = join([]);

  constructor({ fenceSlackUs, fenceRetentionMs }: BatchConstants) {
    this.#constants = bulk(String(fenceSlackUs)) + bulk(String(fenceRetentionMs));
  }

  /**
   * `EVAL script` or `EVALSHA sha`, with the keys and arguments of the batch script.
   *
   * @param recordKey another key in place of the record's, which is not read then
   */
  encode(
    name: "eval" | "evalsha",
    script: string,
    operations: readonly Operation[],
    recordId: string,
    recordKey = RECORD_KEY,
  ): Buffer {
    const { keys, keyCount, args, argCount, areAscii } = this.#join(operations);
    const text =
      `*${3 + keyCount + 3 + argCount}\r\n${bulk(name)}${bulk(script)}${bulk(String(keyCount))}${bulk(recordKey)}` +
      `${keys}${bulk(recordId)}${this.#constants}${args}`;
    return Buffer.from(
      text,
      areAscii && isAscii(recordId) && isAscii(recordKey) ? "latin1" : "utf8",
    );
  }

  #join(operations: readonly Operation[]): JoinedWire {
    if (isSame(operations, this.#lastOperations)) return this.#last;
    this.#lastOperations = operations;
    this.#last = join(operations);
    return this.#last;
  }
}

/**
 * A command with ready bytes, of which ioredis publishes nothing in its diagnostics channels: what it
 * asks and what it is answered can hold ownerIds. It has no arguments, as far as ioredis knows, and so
 * none in what `DEBUG=ioredis:*` writes.
 *
 * @param slot of its keys, for a Cluster, which could not find it out
 */
export function readyCommand(name: string, bytes: Buffer, slot?: number): Command {
  const command = new Command(name, [], { replyEncoding: "utf8" });
  command.toWritable = () => bytes;
  command.isTraced = true;
  if (slot !== undefined) command.getSlot = () => slot;
  return command;
}

interface Wire {
  readonly keys: string;
  readonly args: string;
  readonly areAscii: boolean;
}

interface JoinedWire extends Wire {
  /** How many keys `keys` holds, the record's included. */
  readonly keyCount: number;
  /** How many arguments `args` holds. */
  readonly argCount: number;
}

function join(operations: readonly Operation[]): JoinedWire {
  let [keys, keyCount, args, argCount, areAscii] = ["", 1, "", 0, true];
  for (let from = 0; from < operations.length;) {
    const size = groupSize(operations, from);
    const head = headOf(operations, from, size);
    for (const part of head) args += bulk(part);
    const { kind, waiter, previous, keys: of } = operations[from] as Operation;
    if (of.layout === undefined) {
      const isExtend = kind === "extend";
      const argsEach = waiter === undefined ? 2 : previous === undefined ? 5 : 7;
      keyCount += size * (isExtend ? 1 : kind === "release" || waiter !== undefined ? 3 : 2);
      argCount += head.length + size * (isExtend ? 1 : argsEach);
    } else {
      keyCount += 3 + of.layout.keys.length;
      argCount += head.length + 5 + of.layout.args.length;
    }
    for (const end = from + size; from < end; from++) {
      const wire = wireOf(operations[from] as Operation);
      keys += wire.keys;
      args += wire.args;
      areAscii &&= wire.areAscii;
    }
  }
  return { keys, keyCount, args, argCount, areAscii };
}

/**
 * One template each, not a call a piece: this runs for every operation. All keys of a name differ by
 * ASCII only, and every argument but an ownerId is ASCII.
 */
function wireOf(operation: Operation): Wire {
  if (operation.wire !== undefined) return operation.wire as Wire;
  if (operation.keys.layout !== undefined) return laidOutWire(operation);
  const [lockKey = "", fenceKey, queueKey] = keysOf(operation);
  const [ownerId = "", fence, inbox, ticket = "", turnMs = "", previous, token = ""] =
    argumentsOf(operation);
  const lockBytes = Buffer.byteLength(lockKey);
  const ownerBytes = Buffer.byteLength(ownerId);
  const wideBytes = lockBytes - lockKey.length;
  let keys = `$${lockBytes}\r\n${lockKey}\r\n`;
  let args = `$${ownerBytes}\r\n${ownerId}\r\n`;
  if (fenceKey !== undefined) keys += `$${fenceKey.length + wideBytes}\r\n${fenceKey}\r\n`;
  if (fence !== undefined) args += `$${fence.length}\r\n${fence}\r\n`;
  if (queueKey !== undefined) keys += `$${queueKey.length + wideBytes}\r\n${queueKey}\r\n`;
  if (inbox !== undefined) args += bulk(inbox) + bulk(ticket) + bulk(turnMs);
  let areAscii = wideBytes === 0 && ownerBytes === ownerId.length;
  if (previous !== undefined) {
    args += bulk(previous) + bulk(token);
    areAscii &&= isAscii(previous);
  }
  const wire: Wire = { keys, args, areAscii };
  operation.wire = wire;
  return wire;
}

function laidOutWire(operation: Operation): Wire {
  const keys = keysOf(operation).map(bulk).join("");
  const args = argumentsOf(operation).map(bulk).join("");
  const wire: Wire = { keys, args, areAscii: isAscii(keys) && isAscii(args) };
  operation.wire = wire;
  return wire;
}

function bulk(text: string): string {
  return `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

function isSame(left: readonly Operation[], right: readonly Operation[]): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) if (left[index] !== right[index]) return false;
  return true;
}
