import type { BatchReply, HelloReply, HelloRequest } from "../../../src/channel/transport.js";
import { RECORD_KEY } from "../../../src/protocol/keys.js";
import type { Operation } from "../../../src/protocol/operation.js";
import { seededChoices } from "../../../src/sim/choices.js";
import type { KeyStore } from "../../../src/sim/key-store.js";
import { hashText } from "../../../src/sim/hash.js";
import { runOperation } from "../../../src/sim/node-script.js";
import { SimClock } from "../../../src/sim/sim-clock.js";
import { SimNode, type ServerMessage } from "../../../src/sim/sim-node.js";
import { World } from "../../../src/sim/world.js";
import {
  batchOf,
  LISTENED_CHANNELS,
  OWNERS,
  operationOf,
  RETENTION_MS,
  SLACK_US,
  type KeyState,
  type NodeState,
  type NodeUnderTest,
} from "./node-under-test.js";

/** The simulator's node, asked directly: no network, and a world whose time stands still. */
export class SimulatedNode implements NodeUnderTest {
  readonly #node: SimNode;
  readonly #world = new World();
  #keys: KeyStore | undefined;

  constructor(nowUs: number) {
    const observer = { onKey: () => {}, onRecord: () => {} };
    this.#node = new SimNode(
      0,
      new SimClock(nowUs, 0),
      this.#world,
      seededChoices(1),
      observer,
      (call, operation) => {
        this.#keys = call.keys;
        return runOperation(call, operation);
      },
    );
    const nobody = { onMessage: () => {}, reset: () => {} };
    for (const channel of LISTENED_CHANNELS) this.#node.subscribe(channel, nobody);
  }

  get nowUs(): number {
    return this.#node.clock.at(this.#world.nowUs);
  }

  async advance(byMs: number): Promise<void> {
    this.#node.jump(byMs);
  }

  async batch(operations: readonly Operation[], recordId: string): Promise<BatchReply> {
    return this.#ask<BatchReply>((answer) => ({
      kind: "batch",
      batch: batchOf(operations, recordId),
      fenceSlackUs: SLACK_US,
      fenceRetentionMs: RETENTION_MS,
      answer,
    }));
  }

  async hello(request: HelloRequest): Promise<HelloReply> {
    return this.#ask<HelloReply>((answer) => ({ kind: "hello", request, answer }));
  }

  async put(key: string, text: string, ttlMs = Number.POSITIVE_INFINITY): Promise<void> {
    if (this.#keys === undefined) {
      // The node shows its keys to whoever runs an operation.
      const release = operationOf({ kind: "release", owner: "z" }, this.nowUs);
      await this.batch([{ ...release, ownerId: OWNERS.z }], "");
    }
    this.#keys?.set(key, text, this.#node.nowMs, ttlMs);
  }

  async putHash(
    key: string,
    fields: Readonly<Record<string, string>>,
    ttlMs?: number,
  ): Promise<void> {
    await this.put(key, hashText(new Map(Object.entries(fields))), ttlMs);
  }

  async forget(): Promise<void> {
    this.#node.forget();
  }

  async age(): Promise<void> {
    const { record } = this.#node;
    if (record !== undefined) this.#node.record = { ...record, runId: "another run" };
  }

  async state(): Promise<NodeState> {
    const { nowMs, record } = this.#node;
    const state: Record<string, KeyState | Record<string, string>> = {};
    for (const [key, { text, expiresAtMs }] of this.#node.liveKeys()) {
      const pttlMs = expiresAtMs === Number.POSITIVE_INFINITY ? -1 : expiresAtMs - nowMs;
      state[key] = { text, pttlMs };
    }
    if (record !== undefined) {
      const fields = Object.entries({ ...record, runId: this.#runOf(record.runId) });
      state[RECORD_KEY] = Object.fromEntries(fields.map(([key, value]) => [key, String(value)]));
    }
    return state;
  }

  #runOf(runId: string): string {
    return runId === this.#node.runId ? "this run" : runId;
  }

  #ask<Reply>(messageOf: (answer: (reply: Reply) => void) => ServerMessage): Reply {
    const socket = this.#node.accept(() => {});
    let answered: Reply | undefined;
    this.#node.receive(
      socket,
      messageOf((reply) => {
        answered = reply;
      }),
    );
    if (answered === undefined) throw new Error("the simulated node has not answered");
    return answered;
  }
}
