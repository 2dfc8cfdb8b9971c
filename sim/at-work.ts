import { bytesOf, textOf } from "../src/memory/bytes.js";
import type { Entry } from "../src/memory/keyspace.js";
import { luaVm } from "../src/memory/lua/lua-vm.js";
import type { Operation } from "../src/protocol/operation.js";

/**
 * Which operation of the batch is changing that key; asked while the script runs.
 *
 * A debugger would look where the script is, and so does this: in its main chunk `n` says how many
 * operations were done before the group that it is at, counted from 1 (the first place of its list of
 * answers is no answer), `size` how many that group has, and `m` how many of these are done. What the step
 * does with its keys, right or wrong, is not asked.
 *
 * Where there is no `m` it acts for the whole group at once. That it does only with plain mutexes, and
 * only with a lock key that holds the owner of the operation, or, if it does not (a bug), of the first
 * that is about that key.
 *
 * @param before what stands there
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
