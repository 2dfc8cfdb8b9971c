import type { ConfigProblem, HelloReply, HelloRequest } from "../channel/transport.js";
import type { RecordState } from "../protocol/incarnation.js";

/** Arguments of the hello script after its key. */
export function encodeHello(request: HelloRequest): (string | number)[] {
  return [
    request.newId,
    request.hadRecord ? 1 : 0,
    request.nodeCount,
    request.maxTtlMs,
    request.isDurable ? 1 : 0,
    request.openId ?? "",
  ];
}

/** The hello script's reply. A replica has no record to show and is reported as a problem. */
export function decodeHello(
  connectionId: string,
  reply: readonly unknown[],
): Extract<HelloReply, { kind: "hello" }> {
  const at = (index: number): string => {
    const value = reply[index];
    return typeof value === "string" || typeof value === "number" ? String(value) : "";
  };
  return {
    kind: "hello",
    connectionId,
    runId: at(0),
    nodeTimeMs: Number(at(4)),
    problems: problemsOf(at(1), at(2), Number(at(3))),
    record: {
      id: at(5),
      runId: at(6),
      state: at(7) as RecordState,
      writtenMs: Number(at(8)),
      nodeCount: Number(at(9)),
      maxTtlMs: Number(at(10)),
    },
  };
}

function problemsOf(role: string, policy: string, maxMemoryBytes: number): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  if (role !== "master") {
    problems.push({ kind: "replica", message: `not a master (its role is ${role})` });
  }
  if (maxMemoryBytes > 0 && policy !== "noeviction") {
    const message = `maxmemory-policy ${policy} may evict locks that are held; use noeviction`;
    problems.push({ kind: "eviction", message });
  }
  return problems;
}
