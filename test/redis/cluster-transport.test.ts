import keySlot from "cluster-key-slot";
import { expect } from "chai";
import type { Cluster, Command } from "ioredis";
import { EventEmitter } from "node:events";
import { setImmediate } from "node:timers/promises";
import type {
  BatchReply,
  Connection,
  HandshakeReply,
  HandshakeRequest,
} from "../../src/channel/transport.js";
import { keysOf } from "../../src/kinds/exclusive.js";
import { sharedLock } from "../../src/kinds/shared.js";
import type { LockKind } from "../../src/protocol/lock-kind.js";
import { newOperation, type Operation, type OperationKind } from "../../src/protocol/operation.js";
import { BatchWire } from "../../src/script/batch-encoder.js";
import { ClusterTransport } from "../../src/redis/cluster-transport.js";
import { absentKey } from "../../src/redis/slot-move.js";
import { slotTags } from "../../src/redis/slot-tags.js";
import { operation } from "../support/channel-bench.js";
import { NO_LIST } from "../support/no-list.js";
import { wordsIn } from "../support/words-in.js";

const WIRE = new BatchWire({ fenceSlackUs: 1 });
const REQUEST: HandshakeRequest = {
  number: 1,
  connectionName: "quorate-one",
  previous: undefined,
  newId: "new",
  ifAbsent: undefined,
  nodeCount: 3,
  ...{ maxTtlMs: 0, firstTtlMs: 60_000 },
  clockStepMs: 5_000,
  wallMs: 1_700_000_000_000.5,
  isDurable: false,
  nodeList: NO_LIST,
  isLooking: false,
  order: undefined,
};

const NODE_TIMEOUT_MS = 100;

const opened: Connection[] = [];

/** How often a Cluster was asked who has its slots. */
let lookedCount = 0;

/** A script call, as the Cluster gets it. */
interface Call {
  readonly name: string;
  readonly slot: number;
  readonly number: number;
  /** Their lock keys, in order. */
  readonly keys: readonly string[];
  readonly words: readonly string[];
}

/** A connection to a Cluster whose members are listed so, and which answers script calls like that. */
function connectionTo(
  nodes: string,
  answer: (call: Call) => unknown = ({ number }) => number,
  evaluate: (...words: readonly unknown[]) => Promise<unknown> = () => Promise.resolve(1),
  onClose: () => void = () => {},
): Connection {
  const member = {
    options: { host: "a", port: 1 },
    cluster: () => Promise.resolve(nodes),
    eval: evaluate,
    time: () => Promise.resolve(["1700000000", "123456"]),
    disconnect: () => {},
  };
  // Frozen, and listed first.
  const never = (): Promise<unknown> => new Promise(() => {});
  const frozen = { ...member, options: { host: "b", port: 1 }, cluster: never, time: never };
  const client = Object.assign(new EventEmitter(), {
    connect: () => Promise.resolve(),
    status: "ready",
    refreshSlotsCache: () => void lookedCount++,
    nodes: () => [frozen, member],
    slots: Array.from({ length: 16_384 }, (_, slot) => [slot < 8_192 ? "a:1" : "b:1"]),
    sendCommand: (command: Command) => {
      try {
        command.resolve(answer(callIn(command)));
      } catch (error) {
        command.reject(error as Error);
      }
    },
    disconnect: () => {
      client.status = "end";
      client.emit("end");
    },
  });
  const open = (): Cluster => client as unknown as Cluster;
  const events = { onOpen: () => {}, onClose: () => onClose() };
  const connection = new ClusterTransport("cluster 0", open, WIRE, NODE_TIMEOUT_MS).connect(events);
  opened.push(connection);
  return connection;
}

function callIn(command: Command): Call {
  const sent = command.toWritable(undefined as never);
  const [name = "", , keyCount, , ...words] = wordsIn(sent);
  const count = Number(keyCount) - 1;
  const slot = (command as unknown as { getSlot(): number }).getSlot();
  return { name, slot, number: Number(words[count + 2]), keys: words.slice(0, count), words };
}

/** The handshake of a Cluster whose members are listed so. */
function handshakeOf(
  nodes: string,
  evaluate?: (...words: readonly unknown[]) => Promise<unknown>,
): Promise<HandshakeReply> {
  const connection = connectionTo(nodes, undefined, evaluate);
  return new Promise((resolve) => connection.handshake(REQUEST, resolve));
}

async function runIdOf(nodes: string): Promise<string> {
  const handshake = await handshakeOf(nodes);
  if (handshake.kind !== "handshake") throw new Error("no handshake");
  return handshake.runId;
}

describe("ClusterTransport", () => {
  beforeEach(() => {
    lookedCount = 0;
  });
  afterEach(() => {
    for (const connection of opened.splice(0)) connection.close();
  });

  const [A, B] = ["aa 127.0.0.1:1 myself,master", "bb 127.0.0.1:2 master"];

  it("is the same Cluster whichever member lists the others", async () => {
    expect(await runIdOf(`${B}\n${A}\n`)).to.equal(await runIdOf(`${A}\n${B}\n`));
  });

  it("is another Cluster with other members", async () => {
    expect(await runIdOf(`${B}\n`)).to.not.equal(await runIdOf(`${A}\n`));
  });

  it("keeps no record, and says what it was asked for", async () => {
    const handshake = await handshakeOf(`${A}\n`);
    if (handshake.kind !== "handshake") return expect.fail("no handshake");
    expect(handshake.problems).to.deep.equal([]);
    expect(handshake.nodeTimeMs).to.equal(1_700_000_000_123);
    expect(handshake.record).to.include({ state: "unkept", nodeCount: 3, maxTtlMs: 60_000 });
  });

  for (const [what, evaluate, isAble] of [
    ["may", () => Promise.resolve(1), true],
    ["may not", () => Promise.resolve(0), false],
    ["cannot be asked whether it may", () => Promise.reject(new Error("CLUSTERDOWN")), true],
  ] as const) {
    it(`tells waiters only where a script may: one ${what} publish`, async () => {
      const handshake = await handshakeOf(`${A}\n`, evaluate);
      if (handshake.kind !== "handshake") return expect.fail("no handshake");
      expect(handshake.capabilities.pubSub).to.equal(isAble);
    });
  }

  describe("with operations of several hash slots", () => {
    const NUMBER = 1_000;
    const names = ["a", "b", "c", "a", "d", "b"];
    const operations: readonly Operation[] = names.map((name) =>
      operation("acquire", `owner of ${name}`, { keys: keysOf("lock:", name) }),
    );
    const slotOf = (name: string): number => keySlot(`lock:${name}`);

    async function sent(
      answer: (call: Call) => unknown,
      asked = operations,
      onOpen: (close: () => void) => void = () => {},
    ): Promise<BatchReply | undefined> {
      const connection = connectionTo(`${A}\n`, answer);
      onOpen(() => connection.close());
      await new Promise<HandshakeReply>((resolve) => connection.handshake(REQUEST, resolve));
      const batch = { operations: asked, recordId: "id", number: NUMBER, withScript: false };
      return await Promise.race([
        new Promise<BatchReply>((resolve) => connection.send(batch, resolve)),
        new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 50)),
      ]);
    }

    it("makes one call a slot, each with a number of its own", async () => {
      const calls: Call[] = [];
      const reply = await sent((call) => {
        calls.push(call);
        return call.number;
      });
      const slots = [...new Set(names.map(slotOf))];
      expect(calls.map(({ slot }) => slot)).to.deep.equal(slots);
      expect(new Set(calls.map(({ number }) => number)).size).to.equal(slots.length);
      for (const { slot, number, keys } of calls) {
        const own = names.filter((name) => slotOf(name) === slot);
        expect(keys).to.deep.equal(own.map((name) => `lock:${name}`));
        // The next batch begins with the number after those of all operations here.
        expect(number).to.be.within(NUMBER, NUMBER + operations.length - 1);
      }
      expect(reply).to.include({ kind: "votes", number: NUMBER });
    });

    it("answers each operation by its own vote", async () => {
      const reply = await sent(({ number, keys }) => [
        number,
        ...keys.map((key, at) => `held ${key.charCodeAt(5)}${at}  label`),
      ]);
      if (reply?.kind !== "votes") return expect.fail("no votes");
      const waits = reply.votes.map((vote) => (vote.kind === "refused" ? vote.remainingMs : 0));
      expect(waits).to.deep.equal([970, 980, 990, 971, 1_000, 981]);
    });

    it("answers nothing as it was asked where one slot answers another question", async () => {
      const reply = await sent(({ slot, number }) => (slot === slotOf("c") ? number + 1 : number));
      if (reply?.kind !== "votes") return expect.fail("no votes");
      expect(reply.number).to.equal(undefined);
    });

    it("asks each slot for its own places, and joins the answers", async () => {
      const places = names.map((name, ticket) => ({
        keys: keysOf("lock:", name),
        waiter: { inbox: "inbox", ticket, turnMs: 5 },
      }));
      const { keys } = places[0] as { keys: LockKind };
      const refresh = newOperation("refresh", { keys, ownerId: "inbox", sendBeforeMs: 9, places });
      const calls: Call[] = [];
      const reply = await sent(
        (call) => {
          calls.push(call);
          const ofPlaces = call.keys.slice(1);
          const left = ofPlaces.map((key, at) => key.charCodeAt(5) * 10 + at).join(",");
          return [call.number, `places 1700 ${left} ${",".repeat(ofPlaces.length - 1)}`];
        },
        [refresh],
      );
      for (const { slot, keys: sentKeys } of calls)
        expect(new Set(sentKeys.map((key) => keySlot(key)))).to.deep.equal(new Set([slot]));
      expect(new Set(calls.map(({ number }) => number)).size).to.equal(4);
      if (reply?.kind !== "votes") return expect.fail("no votes");
      const [vote] = reply.votes;
      if (vote?.kind !== "granted") return expect.fail("not granted");
      expect([...(vote.looks?.blockedMs ?? [])]).to.deep.equal([970, 980, 990, 971, 1_000, 981]);
      expect(vote.looks?.signs).to.equal(",,,,,");
    });

    it("counts the fault of a slot for its own operations only", async () => {
      const reply = await sent(({ slot, number }) => {
        if (slot === slotOf("b")) throw new Error("CLUSTERDOWN Hash slot not served");
        return number;
      });
      expect(lookedCount, "who has it now").to.be.above(0);
      if (reply?.kind !== "votes") return expect.fail("no votes");
      const kinds = names.map((name) => (name === "b" ? "fault" : "granted"));
      expect(reply.votes.map(({ kind }) => kind)).to.deep.equal(kinds);
    });

    it("counts a slot that is being moved as a fault that had no effect, of its own operations only", async () => {
      const reply = await sent(({ slot, number }) => {
        if (slot !== slotOf("b")) return number;
        throw new Error("TRYAGAIN Multiple keys request during rehashing of slot");
      });
      expect(lookedCount, "who has it is known").to.equal(0);
      if (reply?.kind !== "votes") return expect.fail("no votes");
      const found = reply.votes.map((vote) => (vote.kind === "fault" ? vote.sent : vote.kind));
      expect(found).to.deep.equal(names.map((name) => (name === "b" ? false : "granted")));
    });

    describe("E2: a call that is rejected because of one of its operations", () => {
      const together = (kinds: readonly OperationKind[]): Operation[] =>
        kinds.map((kind, at) => operation(kind, `${kind} ${at}`, { keys: keysOf("lock:", "b") }));
      const REJECTIONS = [
        "TRYAGAIN Multiple keys request during rehashing of slot",
        "NOPERM No permissions to access a key",
      ];

      for (const said of REJECTIONS) {
        it(`sends each of them again alone, in order: ${said.split(" ", 1)[0]}`, async () => {
          const calls: Call[] = [];
          const answer = (call: Call): unknown => {
            calls.push(call);
            if (call.words.includes("acquire 1")) throw new Error(said);
            return call.number;
          };
          const reply = await sent(answer, together(["extend", "acquire", "release"]));
          if (reply?.kind !== "votes") return expect.fail("no votes");
          expect(reply.votes.map(({ kind }) => kind)).to.deep.equal([
            "granted",
            "fault",
            "granted",
          ]);
          expect(calls.map(({ keys }) => keys.length)).to.deep.equal([3, 1, 1, 1]);
          const [{ number } = { number: 0 }] = calls;
          expect(calls.map((call) => call.number - number)).to.deep.equal([0, 0, 1, 2]);
        });
      }

      it("sends the script again that was rejected with it, to a member that has lost it", async () => {
        // Permissions come first, then the script.
        let isLoaded = false;
        const answer = ({ name, number, words }: Call): unknown => {
          if (words.includes("acquire 0")) throw new Error(REJECTIONS[1]);
          isLoaded ||= name === "eval";
          if (!isLoaded) throw new Error("NOSCRIPT No matching script");
          return number;
        };
        const reply = await sent(answer, together(["acquire", "extend", "release"]));
        if (reply?.kind !== "votes") return expect.fail("no votes");
        expect(reply.votes.map(({ kind }) => kind)).to.deep.equal(["fault", "granted", "granted"]);
      });

      it("sends only extensions and releases again once something else was sent to the slot", async () => {
        const rejected: (() => void)[] = [];
        const calls: Call[] = [];
        const connection = connectionTo(`${A}\n`, (call) => {
          calls.push(call);
          if (calls.length > 1) return call.number;
          return new Promise((_, reject) => {
            rejected.push(() => reject(new Error(REJECTIONS[0])));
          });
        });
        await new Promise<HandshakeReply>((resolve) => connection.handshake(REQUEST, resolve));
        const replies: BatchReply[] = [];
        const send = (number: number, operations: readonly Operation[]): void =>
          connection.send({ operations, recordId: "", number, withScript: true }, (reply) =>
            replies.push(reply),
          );
        send(10, together(["acquire", "extend", "release"]));
        send(13, together(["release"]));
        await setImmediate();
        rejected[0]?.();
        await setImmediate();
        expect(calls.map(({ number }) => number)).to.deep.equal([10, 13, 11, 12]);
        const [, first] = replies;
        if (first?.kind !== "votes") return expect.fail("no votes");
        const found = first.votes.map((vote) => (vote.kind === "fault" ? vote.sent : vote.kind));
        expect(found).to.deep.equal([false, "granted", "granted"]);
      });
    });

    it("declares a key that never exists in each slot where holders stand beside a lock key", async () => {
      const asked = names.map((name, at) => {
        const keys = keysOf("lock:", name);
        return operation("acquire", `owner ${at}`, {
          keys: name === "a" ? sharedLock(keys) : keys,
        });
      });
      const declared = new Map<number, readonly string[]>();
      await sent((call) => {
        declared.set(
          call.slot,
          call.keys.slice(names.filter((n) => slotOf(n) === call.slot).length),
        );
        return call.number;
      }, asked);
      const tags = await slotTags();
      for (const name of ["b", "c", "d"]) expect(declared.get(slotOf(name))).to.deep.equal([]);
      const ofA = absentKey(tags[slotOf("a")] as string);
      expect(declared.get(slotOf("a"))).to.deep.equal([ofA]);
    });

    it("counts a member that is gone for its own operations only", async () => {
      const reply = await sent(({ slot, number }) => {
        if (slot === slotOf("b")) throw new Error("Connection is closed.");
        return number;
      });
      if (reply?.kind !== "votes") return expect.fail("no votes");
      const found = reply.votes.map((vote) => (vote.kind === "fault" ? vote.fault : vote.kind));
      const votes = names.map((name) => (name === "b" ? "disconnected" : "granted"));
      expect(found).to.deep.equal(votes);
    });

    it("says nothing once the whole connection is closed: its end says it", async () => {
      let close = (): void => {};
      const ofOne = (call: Call): unknown => {
        close();
        throw new Error(`Connection is closed. ${call.slot}`);
      };
      const reply = await sent(ofOne, operations, (closing) => (close = closing));
      expect(reply).to.equal(undefined);
    });
  });

  describe("sends the script", () => {
    const acquireOf = (name: string): Operation =>
      operation("acquire", `owner of ${name}`, { keys: keysOf("lock:", name) });
    const calls: Call[] = [];
    let isLost = false;
    let closedCount = 0;
    let number = 1;
    let connection: Connection;

    beforeEach(async () => {
      calls.length = closedCount = 0;
      isLost = false;
      connection = connectionTo(
        `${A}\n`,
        (call) => {
          calls.push(call);
          if (isLost && call.name === "evalsha") throw new Error("NOSCRIPT No matching script.");
          return call.number;
        },
        undefined,
        () => closedCount++,
      );
      await new Promise<HandshakeReply>((resolve) => connection.handshake(REQUEST, resolve));
    });

    function send(...names: readonly string[]): Promise<BatchReply> {
      const batch = { operations: names.map(acquireOf), number, recordId: "", withScript: false };
      number += names.length;
      return new Promise((resolve) => connection.send(batch, resolve));
    }

    const sentNames = (): readonly string[] => calls.map(({ name }) => name);

    it("once to each member, and then its hash", async () => {
      // Of these, b is in a slot of another member.
      const members = ["a", "d", "b"].map((name) => keySlot(`lock:${name}`) < 8_192);
      expect(members).to.deep.equal([true, true, false]);
      for (const name of ["a", "d", "b", "a", "b"]) await send(name);
      expect(sentNames()).to.deep.equal(["eval", "evalsha", "eval", "evalsha", "evalsha"]);
    });

    it("again to one that has lost it, with what was not executed", async () => {
      await send("a");
      isLost = true;
      expect(await send("a")).to.deep.include({ kind: "votes", number: number - 1 });
      isLost = false;
      await send("a");
      expect(sentNames()).to.deep.equal(["eval", "evalsha", "eval", "evalsha"]);
      expect(closedCount).to.equal(0);
    });

    it("not behind a later call in the slot: that ends the connection", async () => {
      await send("a");
      isLost = true;
      void send("a");
      void send("a");
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(closedCount).to.be.above(0);
      expect(sentNames().slice(1, 3)).to.deep.equal(["evalsha", "evalsha"]);
      const again = calls.slice(3);
      expect(again.filter((call) => call.number === number - 2)).to.deep.equal([]);
    });
  });
});
