import { textOf } from "../memory/bytes.js";
import { luaVm } from "../memory/lua/lua-vm.js";
import type { Operation } from "../protocol/operation.js";

/**
 * Which operation of the batch is changing that key; asked while the script runs.
 *
 * A debugger would look where the script is, and so does this: in its main chunk `n` operations are
 * done, counted from 1 (the first place of its list of answers is no answer), and `m` more of the group
 * it is at. Where there is no `m` it acts for the whole group at once, which it does only to release locks
 * of different names, each by its lock key. What a step does with its keys, right or wrong, is not asked.
 */
export function operationAtWork(operations: readonly Operation[], key: string): Operation {
  const [first] = operations;
  if (first !== undefined && operations.length === 1) return first;
  const { n, m } = luaVm().mainLocals("n", "m");
  if (n === undefined) throw new Error("the script does not say which operation is at work");
  const found =
    m === undefined
      ? operations.find(({ keys }, at) => at >= n - 1 && keys.lockKey === textOf(key))
      : operations[n - 1 + m];
  if (found === undefined) throw new Error(`no operation at work that changes ${key}`);
  return found;
}
