import { bytesOf, textOf } from "../src/memory/bytes.js";
import type { Entry } from "../src/memory/keyspace.js";
import { luaVm } from "../src/memory/lua/lua-vm.js";
import type { Operation } from "../src/protocol/operation.js";

/**
 * Finds the operation of the batch that is changing a key, while the script runs.
 *
 * It reads the script's locals, as a debugger would. In the main chunk, `n` is the number of operations done
 * before the current group, counted from 1 (the first place in the script's list of answers is not an answer).
 * `size` is the size of the group, and `m` is how many of its operations are done. What the step does with its
 * keys, right or wrong, plays no part.
 *
 * Without `m`, the script acts for the whole group at once. It does so only for plain mutexes, and only on a
 * lock key that holds the owner of the operation. If the key does not (a bug), the change is attributed to the
 * first operation on that key.
 *
 * @param before the entry before the change
 */
export function operationAtWork(
  operations: readonly Operation[],
  key: string,
  before: Entry | undefined,
): Operation {
  const [first] = operations;
  if (first !== undefined && operations.length === 1) return first;
  const { n, m, size } = luaVm().mainLocals("n", "m", "size");
  if (n === undefined || size === undefined) {
    throw new Error("the script does not say which operation is at work");
  }
  if (m !== undefined) return operations[n - 1 + m] as Operation;
  const ofKey = operations
    .slice(n - 1, n - 1 + size)
    .filter(({ keys }) => keys.lockKey === textOf(key));
  const found = ofKey.find(({ ownerId }) => before?.value === bytesOf(ownerId)) ?? ofKey[0];
  if (found === undefined) throw new Error(`no operation at work is about ${key}`);
  return found;
}
