import { Session, type Profiler } from "node:inspector";

/** Microseconds between two looks at the stack. */
const INTERVAL_US = 200;

/** A line of the client's budget. */
export type ClientLine = (typeof CLIENT_LINES)[number];

export const CLIENT_LINES = [
  "system calls that write",
  "Node's sockets, streams and ticks",
  "Node's timers",
  "promises and async contexts",
  "event loop and system calls that read",
  "garbage collection",
  "ioredis",
  "the library: channels to the nodes",
  "the library: everything else",
  "the bench",
] as const;

/** Functions of Node that are no more than a system call. */
const WRITES = /^(?:writev|write(?:Buffer|\w*String))$/;

/** First match decides. A path of this project as of a package: the peers are measured by the same lines. */
const BY_URL: readonly (readonly [RegExp, ClientLine])[] = [
  [/^node:internal\/timers$/, "Node's timers"],
  [
    /^node:(?:internal\/)?(?:process\/promises|async_hooks|async_local)/,
    "promises and async contexts",
  ],
  [/^node:/, "Node's sockets, streams and ticks"],
  [/\/node_modules\/(?:ioredis|@ioredis|redis-parser|standard-as-callback|denque)\//, "ioredis"],
  [/\/node_modules\//, "the library: everything else"],
  // The floor is code of the bench. Its sockets are what a library's channels would be.
  [/\/(?:src\/(?:channel|redis|script)|bench\/raw-socket)\//, "the library: channels to the nodes"],
  [/\/src\//, "the library: everything else"],
  [/\/bench\//, "the bench"],
];

/** The share of each line in the time that the CPU was busy; all shares are 1 together. */
export async function profiled(run: () => Promise<void>): Promise<ReadonlyMap<ClientLine, number>> {
  const session = new Session();
  session.connect();
  try {
    await post(session, "Profiler.enable");
    await post(session, "Profiler.setSamplingInterval", { interval: INTERVAL_US });
    await post(session, "Profiler.start");
    await run();
    const { profile } = (await post(session, "Profiler.stop")) as Profiler.StopReturnType;
    return sharesOf(profile);
  } finally {
    session.disconnect();
  }
}

function post(session: Session, method: string, params?: object): Promise<unknown> {
  return new Promise((resolve, reject) => {
    session.post(method, params, (error, result) => {
      if (error === null) resolve(result);
      else reject(error);
    });
  });
}

/** Counts each look at the stack for the line of the function that was running; idle time is none. */
export function sharesOf({ nodes }: Profiler.Profile): Map<ClientLine, number> {
  const [root] = nodes;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const hits = new Map<ClientLine, number>();
  const visit = (node: Profiler.ProfileNode, outer: ClientLine): void => {
    const line = lineOf(node.callFrame, outer);
    const count = node.callFrame.functionName === "(idle)" ? 0 : (node.hitCount ?? 0);
    if (count > 0) hits.set(line, (hits.get(line) ?? 0) + count);
    for (const id of node.children ?? []) {
      const child = byId.get(id);
      if (child !== undefined) visit(child, line);
    }
  };
  if (root !== undefined) visit(root, "event loop and system calls that read");
  const total = [...hits.values()].reduce((sum, count) => sum + count, 0);
  return new Map([...hits].map(([line, count]) => [line, count / total]));
}

/** Built-in functions count for whoever calls them. */
function lineOf(
  { functionName, url }: Profiler.ProfileNode["callFrame"],
  outer: ClientLine,
): ClientLine {
  if (functionName === "(garbage collector)") return "garbage collection";
  if (functionName === "runMicrotasks") return "promises and async contexts";
  if (url === "") return WRITES.test(functionName) ? "system calls that write" : outer;
  return BY_URL.find(([pattern]) => pattern.test(url))?.[1] ?? outer;
}
