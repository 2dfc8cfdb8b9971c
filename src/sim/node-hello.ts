import type { HelloReply, HelloRequest } from "../channel/transport.js";
import type { IncarnationRecord } from "../protocol/incarnation.js";

/** The hello script on a simulated node: the record as it is after the hello. */
export function helloRecord(
  record: IncarnationRecord | undefined,
  request: HelloRequest,
  runId: string,
  nowMs: number,
): IncarnationRecord {
  let result: IncarnationRecord;
  if (record === undefined) {
    const state = request.hadRecord ? "forgot" : "fresh";
    const { newId: id, nodeCount, maxTtlMs } = request;
    result = { id, runId, state, writtenMs: nowMs, nodeCount, maxTtlMs };
  } else if (record.runId === runId) {
    result = record;
  } else if (request.isDurable) {
    result = { ...record, runId };
  } else {
    result = { ...record, id: request.newId, runId, state: "forgot", writtenMs: nowMs };
  }
  if (request.maxTtlMs > result.maxTtlMs) result = { ...result, maxTtlMs: request.maxTtlMs };
  const isOpened =
    request.openId !== undefined && result.id === request.openId && result.state === "fresh";
  return isOpened ? { ...result, state: "open" } : result;
}

export function helloReply(
  connectionId: string,
  record: IncarnationRecord,
  nowMs: number,
): Extract<HelloReply, { kind: "hello" }> {
  const { runId } = record;
  return { kind: "hello", connectionId, runId, record, nodeTimeMs: nowMs, problems: [] };
}
