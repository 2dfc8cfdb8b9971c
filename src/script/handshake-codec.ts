import type { ConfigProblem, HandshakeReply, HandshakeRequest } from "../channel/transport.js";
import type { RecordState } from "../protocol/incarnation.js";

/** What is wrong with a server of which a part of the keys is elsewhere. */
export const MEMBER_OF_CLUSTER =
  "a member of a Redis Cluster; give the node as a client: new Cluster([...]) of ioredis";

/** Arguments of the handshake script after its key. */
export function encodeHandshake(request: HandshakeRequest): (string | number)[] {
  return [
    request.newId,
    request.hadRecord ? 1 : 0,
    request.nodeCount,
    request.maxTtlMs,
    request.isDurable ? 1 : 0,
    request.openId ?? "",
  ];
}

/** The handshake script's reply. A replica or a member of a Cluster has no record to show and is reported as a problem. */
export function decodeHandshake(
  connectionId: string,
  reply: readonly unknown[],
): Extract<HandshakeReply, { kind: "handshake" }> {
  const at = (index: number): string => {
    const value = reply[index];
    return typeof value === "string" || typeof value === "number" ? String(value) : "";
  };
  return {
    kind: "handshake",
    connectionId,
    runId: at(0),
    nodeTimeMs: Number(at(5)),
    problems: problemsOf(at),
    record: {
      id: at(7),
      runId: at(8),
      state: at(9) as RecordState,
      writtenMs: Number(at(10)),
      nodeCount: Number(at(11)),
      maxTtlMs: Number(at(12)),
    },
  };
}

function problemsOf(at: (index: number) => string): ConfigProblem[] {
  const [role, mode, policy, maxMemoryBytes, denied] = [1, 2, 3, 4, 6].map(at);
  const problems: ConfigProblem[] = [];
  if (mode === "cluster") problems.push({ kind: "cluster", message: MEMBER_OF_CLUSTER });
  if (role !== "master") {
    problems.push({ kind: "replica", message: `not a master (its role is ${role})` });
  }
  if (denied !== "") {
    const commands = (denied ?? "").split(" ");
    const missing = commands.map((command) => `+${command.toLowerCase()}`).join(" ");
    const message = `the user may not run ${commands.join(", ")}: add ${missing} to its ACL (or they have been renamed)`;
    problems.push({ kind: "permission", message });
  }
  if (Number(maxMemoryBytes) > 0 && policy !== "noeviction") {
    const message = `maxmemory-policy ${policy} may evict locks that are held; use noeviction`;
    problems.push({ kind: "eviction", message });
  }
  return problems;
}
