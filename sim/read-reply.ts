import type { BatchReply, HandshakeReply } from "../src/channel/transport.js";
import { RedisError } from "../src/memory/errors.js";
import type { Operation, Vote } from "../src/protocol/operation.js";
import { decodeReply } from "../src/script/batch-decoder.js";
import { decodeHandshake } from "../src/script/handshake-codec.js";
import { connectionFailure, errorReply } from "../src/script/redis-errors.js";
import type { CommandReply } from "./sim-server.js";

/** What a client takes a reply for, as the one to a batch. */
export function batchReplyIn(raw: CommandReply, operations: readonly Operation[]): BatchReply {
  if ("error" in raw) return errorReply(new RedisError(raw.error));
  const reply = decodeReply(raw.value, operations);
  const { lie } = raw;
  if (lie === undefined || reply.kind !== "votes") return reply;
  return { ...reply, votes: reply.votes.map((vote) => withFence(vote, lie.fence)) };
}

/** Where it says one: as a fence that was drawn, or as what is stored under a name. */
function withFence(vote: Vote, fence: number): Vote {
  if (vote.kind !== "granted") return vote;
  const { snapshot } = vote;
  if (snapshot?.fence !== undefined) return { ...vote, snapshot: { ...snapshot, fence } };
  return vote.fence === 0 ? vote : { ...vote, fence };
}

/** The same of a handshake, with the list that comes with it. */
export function handshakeReplyIn(raw: CommandReply): [handshake: HandshakeReply, list: string] {
  try {
    if ("error" in raw) throw new RedisError(raw.error);
    const [connectionId, list, about] = Array.isArray(raw.value) ? (raw.value as unknown[]) : [];
    const { record, ...reply } = decodeHandshake(String(connectionId), about);
    const topFence = raw.lie?.fence ?? record?.topFence ?? 0;
    return [{ ...reply, record: record && { ...record, topFence } }, String(list)];
  } catch (error) {
    return [{ kind: "failed", failure: connectionFailure(error) }, ""];
  }
}
