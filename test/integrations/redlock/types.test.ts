import { expect } from "chai";
import { typeCheck } from "../../docs/type-check.js";

/** Uses all that redlock's declarations declare. */
const PROGRAM = `
import { Redis, Cluster } from "ioredis";
import Redlock, { ExecutionError, Lock, ResourceLockedError } from "redlock";
import type {
  ClientExecutionResult, ExecutionResult, ExecutionStats, RedlockAbortSignal, Settings,
} from "redlock";

const client = new Redis();
const cluster = new Cluster([{ host: "a", port: 6379 }]);
const settings: Partial<Settings> = { driftFactor: 0.01, retryCount: -1 };
const redlock: Redlock = new Redlock(new Set([client, cluster]), settings);
const all: Settings = redlock.settings;
const sum: number = all.retryDelay + all.retryJitter + all.automaticExtensionThreshold;
const clients: Set<Redis | Cluster> = redlock.clients;
const hash: string = redlock.scripts.acquireScript.hash + redlock.scripts.releaseScript.value;
new Redlock([client]).on("error", (error) => console.log(error instanceof ResourceLockedError));
new Redlock([client], {}, { acquireScript: (script) => script, extendScript: "" });

let lock: Lock = await redlock.acquire(["a", "b"], 5000, { retryCount: 3 });
lock = await lock.extend(5000);
lock = await redlock.extend(lock, 5000, settings);
lock.expiration = 0;
const result: ExecutionResult = await redlock.release(lock, settings);
await lock.release();
const copy = new Lock(redlock, lock.resources, lock.value, lock.attempts, lock.expiration);
const stats: ExecutionStats | undefined = await result.attempts[0];
for (const voter of stats?.votesFor ?? []) await voter.ping();
for (const [voter, error] of stats?.votesAgainst ?? []) console.log(voter.status, error.message);
const sizes: number = (stats?.membershipSize ?? 0) + (stats?.quorumSize ?? 0);

const count: number = await redlock.using(["a"], 5000, async (signal: RedlockAbortSignal) => {
  if (signal.aborted) throw signal.error;
  return 1;
});
const word: string = await redlock.using([copy.value], 5000, { retryCount: 1 }, async (signal) => {
  signal.throwIfAborted();
  return "word";
});
const vote = (cast: ClientExecutionResult): number | Error =>
  cast.vote === "for" ? cast.value : cast.error;
try {
  await redlock.quit();
} catch (error) {
  if (error instanceof ExecutionError) console.log(error.message, await error.attempts[0]);
}
class Mine extends Redlock {
  override async acquire(resources: string[], duration: number): Promise<Lock> {
    return super.acquire(resources, duration);
  }
}
console.log(sum, clients, hash, sizes, count, word, vote, Mine);
throw new ExecutionError("message", [Promise.resolve(stats as ExecutionStats)]);
`;

describe("a program written against redlock's types", function () {
  this.timeout(60_000);

  it("compiles with redlock's and with ours", () => {
    const [page, line] = ["program", 1];
    const changed = PROGRAM.replaceAll('from "redlock"', 'from "quorate/redlock"');
    // Whose classes are others than those of the ioredis that Quorate brings along.
    const older = [
      'import { Cluster, Redis } from "ioredis-5";',
      'import Redlock from "quorate/redlock";',
      'const [client, cluster] = [new Redis(), new Cluster([{ host: "a", port: 6379 }])];',
      "const redlock = new Redlock([client, cluster]);",
      'const [stats] = await Promise.all((await redlock.acquire(["a"], 5000)).attempts);',
      "const error: Error | undefined = stats?.votesAgainst.get(client);",
      "const isAgainst: boolean | undefined = stats?.votesAgainst.has(cluster);",
      "const isFor: boolean | undefined = stats?.votesFor.has(client);",
      "console.log(error, isAgainst, isFor, redlock.clients.has(cluster));",
    ].join("\n");
    const wrong = 'import Redlock from "quorate/redlock";\nnew Redlock(["redis://a"]);';
    const errors = typeCheck([
      { page, line, code: PROGRAM },
      { page: "changed", line, code: changed },
      { page: "older", line, code: older },
      { page: "wrong", line, code: wrong },
    ]);
    expect(errors.filter((error) => !error.startsWith("wrong:"))).to.deep.equal([]);
    // So that it is known to look at all.
    expect(errors[0]).to.match(/^wrong:2:13: /);
  });
});
