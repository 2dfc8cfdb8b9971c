import { expect } from "chai";
import { NAMES, operationOf, type OperationSpec } from "../support/conformance/node-under-test.js";
import { MemoryNode, type Foreign } from "../support/conformance/memory-node.js";
import { conformance } from "../support/conformance/suite.js";

/** Data of other types, and how they are put there. */
const TYPES: readonly [type: Foreign, command: readonly string[]][] = [
  ["list", ["RPUSH", "data"]],
  ["hash", ["HSET", "field", "data"]],
  ["set", ["SADD", "data"]],
  ["zset", ["ZADD", "1", "data"]],
  ["stream", ["XADD", "*", "field", "data"]],
];

const KINDS = ["acquire", "seal", "extend", "heal", "release"] as const;

const BESIDE: readonly OperationSpec[] = [
  { kind: "acquire", name: "b", fromNowUs: 0 },
  { kind: "extend", name: "b", ttlMs: 5_000 },
  { kind: "release", name: "b", fromNowUs: 9 },
];

conformance("an operation on a key of another type", (redis) => {
  for (const [type, [command = "", ...args]] of TYPES) {
    for (const kind of KINDS) {
      it(`${kind} on a ${type} is refused, and all beside it go on; so they do in memory`, async () => {
        const node = redis();
        await node.forget();
        const [memory, untouched] = [new MemoryNode(node.nowUs), new MemoryNode(node.nowUs)];
        await node.client.call(command, NAMES.a.lockKey, ...args);
        memory.putForeign(NAMES.a.lockKey, type, args);
        const beside = BESIDE.map((spec) => operationOf(spec, node.nowUs));
        const odd = operationOf({ kind, fence: 5 }, node.nowUs);
        const [first, ...rest] = beside;
        if (first === undefined) throw new Error("nothing beside it");
        const batch = [first, odd, ...rest];
        const reply = await node.batch(batch, "");
        expect(await memory.batch(batch, "")).to.deep.equal(reply);
        const alone = await untouched.batch(beside, "");
        if (reply.kind !== "votes" || alone.kind !== "votes") throw new Error("no votes");
        const [one, foreign, ...others] = reply.votes;
        const refused = { kind: "refused", reason: "foreign", remainingMs: 0, label: type };
        expect(foreign).to.deep.equal(refused);
        expect([one, ...others]).to.deep.equal(alone.votes);
        expect(await node.client.type(NAMES.a.lockKey)).to.equal(type);
        expect(memory.redis.execute(["TYPE", NAMES.a.lockKey])).to.have.property("text", type);
        for (const each of [node, memory]) {
          const { [NAMES.a.lockKey]: _, ...left } = await each.state();
          expect(left).to.deep.equal(await untouched.state());
        }
      });
    }
  }
});
