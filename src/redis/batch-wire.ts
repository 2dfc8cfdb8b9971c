import { Command, Redis } from "ioredis";
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
  #last: JoinedWire = { keys: "", args: "", argCount: 0, areAscii: true };

  constructor({ fenceSlackUs, fenceRetentionMs }: BatchConstants) {
    this.#constants = bulk(String(fenceSlackUs)) + bulk(String(fenceRetentionMs));
  }

  /** `EVAL script` or `EVALSHA sha`, with the keys and arguments of the batch script. */
  encode(
    name: "eval" | "evalsha",
    script: string,
    operations: readonly Operation[],
    recordId: string,
  ): Buffer {
    const { keys, args, argCount, areAscii } = this.#join(operations);
    const keyCount = 2 * operations.length + 1;
    const text =
      `*${3 + keyCount + 3 + argCount}\r\n${bulk(name)}${bulk(script)}${bulk(String(keyCount))}${bulk(RECORD_KEY)}` +
      `${keys}${bulk(recordId)}${this.#constants}${args}`;
    return Buffer.from(text, areAscii && isAscii(recordId) ? "latin1" : "utf8");
  }

  #join(operations: readonly Operation[]): JoinedWire {
    if (isSame(operations, this.#lastOperations)) return this.#last;
    this.#lastOperations = operations;
    this.#last = join(operations);
    return this.#last;
  }
}

/**
 * A command with ready bytes, or undefined for a client of another copy of ioredis, whose inner
 * workings are not ours to know: it gets the arguments one by one.
 */
export function readyCommand(redis: object, name: string, bytes: Buffer): Command | undefined {
  if (!(redis instanceof Redis)) return undefined;
  const command = new Command(name, [], { replyEncoding: "utf8" });
  command.toWritable = () => bytes;
  return command;
}

interface Wire {
  readonly keys: string;
  readonly args: string;
  readonly areAscii: boolean;
}

interface JoinedWire extends Wire {
  /** How many arguments `args` holds. */
  readonly argCount: number;
}

function join(operations: readonly Operation[]): JoinedWire {
  let [keys, args, argCount, areAscii] = ["", "", 2 * operations.length, true];
  let groupEnd = 0;
  for (let index = 0; index < operations.length; index++) {
    if (index === groupEnd) {
      const size = groupSize(operations, index);
      for (const part of headOf(operations, index, size)) args += bulk(part);
      argCount += 3;
      groupEnd += size;
    }
    const wire = wireOf(operations[index] as Operation);
    keys += wire.keys;
    args += wire.args;
    areAscii &&= wire.areAscii;
  }
  return { keys, args, argCount, areAscii };
}

/** One template each, not a call a piece: this runs for every operation. */
function wireOf(operation: Operation): Wire {
  if (operation.wire !== undefined) return operation.wire as Wire;
  const [lockKey, fenceKey] = keysOf(operation);
  const [ownerId, fence] = argumentsOf(operation);
  const lockBytes = Buffer.byteLength(lockKey);
  const ownerBytes = Buffer.byteLength(ownerId);
  const wideBytes = lockBytes - lockKey.length;
  const fenceBytes = fenceKey.length + wideBytes;
  const wire: Wire = {
    keys: `$${lockBytes}\r\n${lockKey}\r\n$${fenceBytes}\r\n${fenceKey}\r\n`,
    args: `$${ownerBytes}\r\n${ownerId}\r\n$${fence.length}\r\n${fence}\r\n`,
    areAscii: wideBytes === 0 && ownerBytes === ownerId.length,
  };
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
