import { expect } from "chai";
import { ReplyError } from "ioredis";

import { bytesOf } from "../../../src/memory/bytes.js";
import { RedisError } from "../../../src/memory/errors.js";
import { plainReply } from "../../../src/memory/reply.js";
import { MemoryNode } from "./memory-node.js";
import type { RedisNode } from "./redis-node.js";

/** A command as a client sends it, time that passes, or data of a type that is not used put somewhere. */
export type CommandStep =
  | readonly string[]
  | { readonly byMs: number }
  | { readonly listAt: string };

/** The other of the two is told what this one was. */
export interface Pair {
  readonly redis: RedisNode;
  readonly memory: MemoryNode;
}

/** An empty server, and one in memory that is as old as the server. */
export async function emptyPair(redis: RedisNode): Promise<Pair> {
  await redis.forget();
  const [major = 0, minor = 0] = redis.version;
  return { redis, memory: new MemoryNode(redis.nowUs, [major, minor]) };
}

/** Within a script too, a list shows the types that the script sees, and an error its text. */
const IN_SCRIPT = /* lua */ `
local function seen(value)
  if type(value) ~= 'table' then return { type(value), value } end
  if value.err then return { 'err', value.err } end
  if value.ok then return { 'ok', value.ok } end
  local list = { 'table', #value }
  for n = 1, #value do list[#list + 1] = seen(value[n]) end
  return list
end
return seen(redis.pcall(unpack(ARGV)))`;

/** Runs the steps on both, which must not differ; returns what the last was answered. */
export async function expectSameReplies(
  { redis, memory }: Pair,
  steps: readonly CommandStep[],
  isInScript = false,
): Promise<unknown> {
  let last: unknown;
  for (const [index, step] of steps.entries()) {
    if ("byMs" in step) {
      await redis.advance(step.byMs);
      await memory.advance(step.byMs);
      continue;
    }
    if ("listAt" in step) {
      await redis.client.multi().del(step.listAt).rpush(step.listAt, "data").exec();
      memory.putForeign(step.listAt, "list", ["data"]);
      continue;
    }
    const argv = isInScript ? ["EVAL", IN_SCRIPT, "0", ...step] : step;
    last = inOneOrder(step, await onServer(redis, argv));
    const where = `step ${index}: ${step.join(" ")}`;
    expect(inOneOrder(step, inMemory(memory, argv)), where).to.deep.equal(last);
    expect(await memory.state(), where).to.deep.equal(await redis.state());
  }
  return last;
}

async function onServer(
  redis: RedisNode,
  [name = "", ...args]: readonly string[],
): Promise<unknown> {
  try {
    return await redis.client.call(name, ...args);
  } catch (error) {
    if (error instanceof ReplyError) return { error: codeOf((error as Error).message) };
    throw error;
  }
}

function inMemory({ redis }: MemoryNode, argv: readonly string[]): unknown {
  try {
    return plainReply(redis.execute(argv.map(bytesOf)));
  } catch (error) {
    if (error instanceof RedisError) return { error: codeOf(error.message) };
    throw error;
  }
}

/** A server shows long fields of a hash in an order that is its secret. */
function inOneOrder(step: readonly string[], reply: unknown): unknown {
  if (!Array.isArray(reply)) return reply;
  if (reply[0] === "err") return ["err", codeOf(String(reply[1]))];
  return step[0] === "HGETALL" || step[0] === "HKEYS" ? reply.toSorted(byText) : reply;
}

function byText(left: unknown, right: unknown): number {
  return JSON.stringify(left) < JSON.stringify(right) ? -1 : 1;
}

/** What comes behind the code is worded differently from version to version. */
function codeOf(message: string): string {
  return /^[A-Z]{2,}\b/.exec(message)?.[0] ?? "ERR";
}
