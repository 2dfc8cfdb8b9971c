import { Command } from "ioredis";
import type { Operation, OperationOf } from "../protocol/operation.js";
import { RECORD_KEY } from "../protocol/keys.js";
import type { BatchConstants } from "../script/batch-codec.js";
import { argumentsOf, headOf, keysOf, wordsOf } from "../script/operation-shape.js";

/** Texts of at least this length are encoded before they are written: Node.js writes shorter texts from its stack. */
const LONG = 4_096;

/** Beyond this size, all but the latest entries are outdated. */
const MAX_RECORD_IDS = 64;

/** Number of digits of a number that change from call to call, and the power of ten above them. */
const LOWER_DIGITS = 3;
const LOWER = 10 ** LOWER_DIGITS;

/** All that these digits can be. */
const LOWER_TEXTS = Array.from(
  { length: LOWER },
  (_, lower) => `${String(lower).padStart(LOWER_DIGITS, "0")}\r\n`,
);

const [EVAL, EVALSHA] = [asciiBulk("eval"), asciiBulk("evalsha")];
const RECORD = textOf(RECORD_KEY);

/**
 * Batches as bytes of the Redis protocol.
 *
 * The same operations go to all nodes, so each is encoded once, and a batch with the same operations as the previous
 * one (the usual case: the same tick on the next node) reuses its text, too. ioredis would join the arguments of a
 * batch again for every node: that took half of the client's time under load.
 */
export class BatchWire {
  readonly constants: BatchConstants;
  readonly #constants: string;
  readonly #recordIds = new Map<string, Text>();
  readonly #numberHeads = new Map<number, string>();
  #lastOperations: readonly Operation[] = [];
  #last: JoinedWire;

  constructor(constants: BatchConstants) {
    this.constants = constants;
    this.#constants = asciiBulk(String(constants.fenceSlackUs));
    this.#last = this.#joined([]);
  }

  /**
   * `EVAL script` or `EVALSHA sha`, with the keys and arguments of the batch script. The text contains only ASCII.
   *
   * @param number of the call, which the reply repeats
   * @param recordKey another key in place of the record's: its fences are used, and no record is read
   */
  encode(
    name: "eval" | "evalsha",
    script: string,
    operations: readonly Operation[],
    recordId: string,
    number: number,
    recordKey?: string,
  ): string | Buffer {
    const { counted, keyCount, keys, args, areAscii } = this.#join(operations);
    const id = this.#recordId(recordId);
    const key = recordKey === undefined ? RECORD : textOf(recordKey);
    const text =
      `${counted}${name === "evalsha" ? EVALSHA : EVAL}${asciiBulk(script)}${keyCount}${key.text}` +
      `${keys}${id.text}${this.#constants}${this.#number(number)}${args}`;
    if (!areAscii || !id.isAscii || !key.isAscii) return Buffer.from(text, "utf8");
    // A short text is encoded while it is written.
    return text.length < LONG ? text : Buffer.from(text, "latin1");
  }

  #join(operations: readonly Operation[]): JoinedWire {
    if (isSame(operations, this.#lastOperations)) return this.#last;
    this.#lastOperations = operations;
    this.#last = this.#joined(operations);
    return this.#last;
  }

  #joined(operations: readonly Operation[]): JoinedWire {
    let [keys, keyCount, args, argCount, areAscii] = ["", 1, "", 3, true];
    for (let from = 0; from < operations.length;) {
      const head = headOf(operations, from);
      const words = wordsOf(head);
      for (const word of words) args += asciiBulk(word);
      keyCount += head.size * head.keyCount;
      argCount += words.length + head.size * head.argumentCount;
      for (const end = from + head.size; from < end; from++) {
        const wire = wireOf(operations[from] as Operation);
        keys += wire.keys;
        args += wire.args;
        areAscii &&= wire.areAscii;
      }
    }
    const counted = `*${3 + keyCount + argCount}\r\n`;
    return { counted, keyCount: asciiBulk(String(keyCount)), keys, args, areAscii };
  }

  /**
   * Turning so large a number into text takes longer than all else here, so its upper digits, which change with every
   * thousandth call of a connection, are kept, and the others looked up.
   */
  #number(number: number): string {
    const upper = Math.floor(number / LOWER);
    if (upper === 0) return asciiBulk(String(number));
    let head = this.#numberHeads.get(upper);
    if (head === undefined) {
      if (this.#numberHeads.size === MAX_RECORD_IDS) this.#numberHeads.clear();
      head = `$${String(upper).length + LOWER_DIGITS}\r\n${upper}`;
      this.#numberHeads.set(upper, head);
    }
    return head + LOWER_TEXTS[number - upper * LOWER];
  }

  /** One per node; a new one is rare. */
  #recordId(recordId: string): Text {
    let text = this.#recordIds.get(recordId);
    if (text === undefined) {
      if (this.#recordIds.size === MAX_RECORD_IDS) this.#recordIds.clear();
      text = textOf(recordId);
      this.#recordIds.set(recordId, text);
    }
    return text;
  }
}

/**
 * A command with its bytes already encoded, of which ioredis publishes nothing in its diagnostics channels: arguments
 * and replies can contain ownerIds. To ioredis it has no arguments, so there are none in the output of
 * `DEBUG=ioredis:*`.
 *
 * @param slot of its keys, for a Cluster client, which could not compute it
 */
export function readyCommand(name: string, bytes: string | Buffer, slot?: number): Command {
  const command = new Command(name, [], { replyEncoding: "utf8" });
  command.toWritable = () => bytes;
  command.isTraced = true;
  if (slot !== undefined) command.getSlot = () => slot;
  return command;
}

interface Text {
  readonly text: string;
  readonly isAscii: boolean;
}

interface Wire {
  readonly keys: string;
  readonly args: string;
  readonly areAscii: boolean;
}

interface JoinedWire extends Wire {
  /** Number of words in the command. */
  readonly counted: string;
  /** Number of keys among them, the record's included. */
  readonly keyCount: string;
}

function wireOf(operation: Operation): Wire {
  if (operation.wire !== undefined) return operation.wire as Wire;
  const wire =
    operation.kind === "refresh"
      ? refreshWire(operation)
      : wireOfTexts(keysOf(operation), argumentsOf(operation));
  operation.wire = wire;
  return wire;
}

/** A place is refreshed many times: the text of its key is encoded once. */
function refreshWire(operation: OperationOf<"refresh">): Wire {
  let { keys, args, areAscii } = wireOfTexts([operation.keys.lockKey], argumentsOf(operation));
  for (const place of operation.places) {
    const wire = (place.wire ??= wireOfTexts([place.keys.lockKey], [])) as Wire;
    keys += wire.keys;
    areAscii &&= wire.areAscii;
  }
  return { keys, args, areAscii };
}

/** Runs for every operation, so ASCII text is measured in one step. */
function wireOfTexts(keys: readonly string[], args: readonly string[]): Wire {
  const [ofKeys, ofArgs] = [asciiBulks(keys), asciiBulks(args)];
  if (isAscii(ofKeys + ofArgs)) return { keys: ofKeys, args: ofArgs, areAscii: true };
  return { keys: keys.map(bulk).join(""), args: args.map(bulk).join(""), areAscii: false };
}

function asciiBulks(texts: readonly string[]): string {
  let bulks = "";
  for (const text of texts) bulks += asciiBulk(text);
  return bulks;
}

function asciiBulk(text: string): string {
  return `$${text.length}\r\n${text}\r\n`;
}

function bulk(text: string): string {
  return `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
}

function textOf(text: string): Text {
  return { text: bulk(text), isAscii: isAscii(text) };
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

function isSame(left: readonly Operation[], right: readonly Operation[]): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) if (left[index] !== right[index]) return false;
  return true;
}
