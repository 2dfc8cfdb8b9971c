import type { Job } from "./job.js";
import { COMMAND_TIMEOUT_MS } from "./plan.js";
import type { Run } from "./run-all.js";
import type { Scenario } from "./scenarios/scenario.js";
import { span } from "./observe/words.js";
import { subjectEntry, type SubjectId } from "./subjects/index.js";
import type { Versions } from "./versions.js";

/** The page: what was asked, what was seen, how to see it again. */
export function page(
  scenarios: readonly Scenario[],
  subjectIds: readonly SubjectId[],
  runs: readonly Run[],
  versions: Versions,
): string {
  const list = Object.entries(versions.packages).map(([name, version]) => `${name} ${version}`);
  return `# The field under the same faults

Made by \`npm run compare\`, which runs every fault below against every library on real Redis servers and
writes down what it sees. The table holds nothing but that; the notes below it are about documentation. Times
differ a little from run to run.

Seen with ${list.join(", ")}; Node ${versions.node}, Redis ${versions.redis}.${universalNote(versions)}

- Every library is at its documented defaults, with ioredis clients at theirs (Quorate opens its own
  connections). Where a row says "one attempt", the documented way to try once is used: \`tryAcquire\`,
  \`retryCount: 0\`, \`acquireAttemptsLimit: 1\`, \`retryAttempts: 0\`.
- Where a deadline on the clients' commands could matter, the peers are run again with
  \`commandTimeout: ${COMMAND_TIMEOUT_MS}\` in their ioredis clients.
- The ttl is the same for all in a row. Where it matters, and a library has another one by default, the row
  is run with that one too.
- Every run has servers and a process of its own, is warmed up with a lock cycle, and has a time limit: a call
  that does not settle is an observation.
- *Settles* is about the call; *told* is about the signal or callback for a routine whose lock is lost;
  *the end* is the end of the lock's ttl.

${table(scenarios, subjectIds, runs)}

## The rows

${scenarios.map(section).join("\n")}`;
}

/** Its package.json asks for more than this project does. */
function universalNote({ node }: Versions): string {
  const isOlder = Number.parseInt(node.slice(1), 10) < 22;
  return isOlder ? " (redlock-universal declares Node 22 or newer; it runs on this one.)" : "";
}

/** Rows are scenarios, columns are subjects; the last column is the legend. */
export function table(
  scenarios: readonly Scenario[],
  subjectIds: readonly SubjectId[],
  runs: readonly Run[],
): string {
  const names = subjectIds.map((id) => subjectEntry(id).packageName);
  const rows = scenarios.map((scenario) => [
    `[${scenario.title}](#${scenario.id})`,
    ...subjectIds.map((id) => cell(scenario, id, runs)),
    scenario.good,
  ]);
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const head = ["fault", ...names, "a good answer"];
  return [head, head.map(() => "---"), ...rows].map(line).join("\n");
}

function cell(scenario: Scenario, subjectId: SubjectId, runs: readonly Run[]): string {
  return runs
    .filter(({ job }) => job.scenarioId === scenario.id && job.subjectId === subjectId)
    .map(({ job, observation }) => {
      const seen = observation?.cell ?? "not observed: the scenario failed";
      return (settingWords(job) + seen).replaceAll("|", "\\|");
    })
    .join("<br>");
}

function settingWords({ variant, ttlMs }: Job): string {
  switch (variant) {
    case "usual":
      return "";
    case "default ttl":
      return `with its default ttl of ${span(ttlMs)}: `;
    case "command timeout":
      return `with \`commandTimeout: ${COMMAND_TIMEOUT_MS}\`: `;
  }
}

function section({ id, title, setUp, good, note, ttlMs }: Scenario): string {
  const notes = note === undefined ? "" : `- Note: ${note}\n`;
  return `### <a id="${id}"></a>${title}

- Set-up: ${setUp}
- ttl: ${span(ttlMs)}
- A good answer: ${good}
${notes}- Again: \`npm run compare -- --only ${id}\`
`;
}
