import { expect } from "chai";
import type { HandshakeRequest } from "../../../src/channel/transport.js";
import type { RedisNode } from "./redis-node.js";
import { MemoryNode } from "./memory-node.js";
import {
  NAMES,
  NUMBER,
  operationOf,
  withoutWords,
  type Name,
  type NodeUnderTest,
  type OperationSpec,
} from "./node-under-test.js";
import { NO_LIST } from "../no-list.js";

/** One thing done to a node, as data. */
export type Step =
  | { readonly do: "batch"; readonly recordId?: string; readonly of: readonly OperationSpec[] }
  | { readonly do: "handshake"; readonly request: Partial<HandshakeRequest> }
  | { readonly do: "put"; readonly key: string; readonly text: string; readonly ttlMs?: number }
  | {
      readonly do: "putHash";
      readonly key: string;
      readonly fields: Readonly<Record<string, string>>;
      readonly ttlMs?: number;
    }
  | { readonly do: "putFence"; readonly bucket: string; readonly text: string }
  | { readonly do: "advance"; readonly byMs: number }
  | { readonly do: "forget" | "age" };

export const run = (...of: OperationSpec[]): Step => ({ do: "batch", of });
export const wait = (byMs: number): Step => ({ do: "advance", byMs });
export const put = (name: Name, text: string, ttlMs?: number): Step => {
  return { do: "put", key: NAMES[name].lockKey, text, ...(ttlMs !== undefined && { ttlMs }) };
};
export const putHash = (
  name: Name,
  fields: Readonly<Record<string, string>>,
  ttlMs?: number,
): Step => {
  return {
    do: "putHash",
    key: NAMES[name].lockKey,
    fields,
    ...(ttlMs !== undefined && { ttlMs }),
  };
};
export const putFence = (fence: number, name: Name = "a"): Step => {
  return { do: "putFence", bucket: NAMES[name].fenceBucket, text: String(fence) };
};

/** What one step was answered, and how it left the node. */
export interface Seen {
  readonly answer: unknown;
  readonly state: unknown;
  /** To those who listen. */
  readonly told: readonly string[];
}

export function lastOf(seen: readonly Seen[]): Seen {
  const last = seen.at(-1);
  if (last === undefined) throw new Error("no step was taken");
  return last;
}

async function take(node: NodeUnderTest, step: Step): Promise<unknown> {
  switch (step.do) {
    case "batch": {
      const operations = step.of.map((spec) => operationOf(spec, node.nowUs));
      return withoutWords(await node.batch(operations, step.recordId ?? ""));
    }
    case "handshake": {
      const reply = await node.handshake(requestOf(step.request));
      if (reply.kind !== "handshake") return reply;
      // The run and the connection have names that each server makes up; the state shows the run.
      const { number, nodeTimeMs, problems, record } = reply;
      return { number, nodeTimeMs, problems, id: record?.id, state: record?.state };
    }
    case "put":
      return node.put(step.key, step.text, step.ttlMs);
    case "putHash":
      return node.putHash(step.key, step.fields, step.ttlMs);
    case "putFence":
      return node.putFence(step.bucket, step.text);
    case "advance":
      return node.advance(step.byMs);
    case "forget":
      return node.forget();
    case "age":
      return node.age();
  }
}

export function requestOf(given: Partial<HandshakeRequest>): HandshakeRequest {
  return { ...bareRequest(), ...given };
}

/** Of a client that is alone, and finds a new node. */
export function bareRequest(): HandshakeRequest {
  return {
    number: NUMBER,
    connectionName: "quorate-one",
    previous: undefined,
    newId: "id-1",
    ifAbsent: "fresh",
    nodeCount: 3,
    maxTtlMs: 60_000,
    firstTtlMs: 60_000,
    clockStepMs: 0,
    wallMs: 1_700_000_000_000,
    isDurable: false,
    nodeList: NO_LIST,
    isLooking: false,
    order: undefined,
  };
}

async function see(node: NodeUnderTest, step: Step): Promise<Seen> {
  return { answer: await take(node, step), state: await node.state(), told: await node.told() };
}

/** Takes the same steps on an empty server and on one in memory, which must not differ. */
export async function expectSame(redis: RedisNode, steps: readonly Step[]): Promise<Seen[]> {
  await redis.forget();
  await redis.told();
  const [major = 0, minor = 0] = redis.version;
  const memory = new MemoryNode(redis.nowUs, [major, minor]);
  const seen: Seen[] = [];
  for (const [index, step] of steps.entries()) {
    const onRedis = await see(redis, step);
    const inMemory = await see(memory, step);
    expect(inMemory, `in memory after step ${index}: ${JSON.stringify(step)}`).to.deep.equal(
      onRedis,
    );
    seen.push(onRedis);
  }
  return seen;
}
