import { Command } from "ioredis";
import type { Operation } from "../protocol/operation.js";
import { RECORD_KEY } from "../protocol/keys.js";
import type { Place } from "../protocol/place.js";
import type { BatchConstants } from "../script/batch-codec.js";
import { argumentsOf, headOf, keysOf, wordsOf } from "../script/operation-shape.js";

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

  constructor({ fenceSlackUs }: BatchConstants) {
    this.#constants = bulk(String(fenceSlackUs));
  }

  /**
   * `EVAL script` or `EVALSHA sha`, with the keys and arguments of the batch script.
   *
   * @param recordKey another key in place of the record's: its fences are used, and no record is read
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
      `*${3 + keyCount + 2 + argCount}\r\n${bulk(name)}${bulk(script)}${bulk(String(keyCount))}${bulk(recordKey)}` +
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
    const head = headOf(operations, from);
    const words = wordsOf(head);
    for (const word of words) args += bulk(word);
    keyCount += head.size * head.keyCount;
    argCount += words.length + head.size * head.argumentCount;
    for (const end = from + head.size; from < end; from++) {
      const wire = wireOf(operations[from] as Operation);
      keys += wire.keys;
      args += wire.args;
      areAscii &&= wire.areAscii;
    }
  }
  return { keys, keyCount, args, argCount, areAscii };
}

function wireOf(operation: Operation): Wire {
  if (operation.wire !== undefined) return operation.wire as Wire;
  const wire =
    operation.places === undefined
      ? wireOfTexts(keysOf(operation), argumentsOf(operation))
      : refreshWire(operation, operation.places);
  operation.wire = wire;
  return wire;
}

/** A place is refreshed many times: the text of its key is made once. */
function refreshWire(operation: Operation, places: readonly Place[]): Wire {
  let { keys, args, areAscii } = wireOfTexts([operation.keys.lockKey], argumentsOf(operation));
  for (const place of places) {
    const wire = (place.wire ??= wireOfTexts([place.keys.lockKey], [])) as Wire;
    keys += wire.keys;
    areAscii &&= wire.areAscii;
  }
  return { keys, args, areAscii };
}

/** This runs for every operation, so it counts the bytes of what is ASCII all at once. */
function wireOfTexts(keys: readonly string[], args: readonly string[]): Wire {
  const [ofKeys, ofArgs] = [asciiBulks(keys), asciiBulks(args)];
  if (isAscii(ofKeys) && isAscii(ofArgs)) return { keys: ofKeys, args: ofArgs, areAscii: true };
  return { keys: keys.map(bulk).join(""), args: args.map(bulk).join(""), areAscii: false };
}

function asciiBulks(texts: readonly string[]): string {
  let bulks = "";
  for (const text of texts) bulks += `$${text.length}\r\n${text}\r\n`;
  return bulks;
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
