import { HEAT_MAP, heatMapInWords, type Observed } from "./heat-map.js";
import type { Job } from "./job.js";
import { COMMAND_TIMEOUT_MS } from "./plan.js";
import type { Run } from "./run-all.js";
import type { Scenario } from "./scenarios/scenario.js";
import { span } from "./observe/words.js";
import { subjectEntry, type SubjectId } from "./subjects/index.js";
import type { Versions } from "./versions.js";

/** The page: what was observed. */
export function page(
  scenarios: readonly Scenario[],
  subjectIds: readonly SubjectId[],
  runs: readonly Run[],
  versions: Versions,
): string {
  const list = Object.entries(versions.packages).map(([name, version]) => `${name} ${version}`);
  return `# Comparison: lock libraries under the same faults

What libraries do under ${scenarios.length} faults, on real Redis servers: written by \`npm run compare\`, [fault by fault](../../${DETAILS}). The table has only what was observed; the picture judges it by the last column,
in time (a second) or late. Times differ slightly between runs. Versions: ${list.join(", ")}; Node ${versions.node}, Redis ${versions.redis}.${universalNote(versions)}

![${heatMapInWords(scenarios, subjectIds, observedIn(runs))}](../../${HEAT_MAP})

${table(scenarios, subjectIds, runs)}

*Settles* refers to the call, *notified* to the signal or callback of a routine whose lock is lost, *the end* to the end of the lock's ttl.
`;
}

/** Where the faults are described. */
export const DETAILS = "bench/results/compare.md";

/** How each observation was made, and how to repeat it. */
export function details(scenarios: readonly Scenario[]): string {
  return `# How the libraries were compared

By \`npm run compare\`, with the results on the page [comparison](../../docs/explain/comparison.md). \`npm run compare -- --only tie-2\` runs one of the faults.

- Every library runs with its documented defaults, and so do the ioredis clients (Quorate opens its own
  connections). "One attempt" means the documented way to try once: \`tryAcquire\`,
  \`retryCount: 0\`, \`acquireAttemptsLimit: 1\`, \`retryAttempts: 0\`.
- Where a timeout on the clients' commands could matter, the other libraries also run with
  \`commandTimeout: ${COMMAND_TIMEOUT_MS}\` in their ioredis clients.
- The ttl is the same for all libraries in a row. If a library has a different default and that matters, it runs with
  that one too.
- Every run has its own servers and its own process, and is warmed up with one lock cycle. It has a time limit: a call
  that does not settle is a result.

Notes quote documentation.

${scenarios.map(section).join("\n")}
`;
}

/** Of runs that did not fail. */
export function observedIn(runs: readonly Run[]): Observed[] {
  return runs.flatMap(({ job, observation }) =>
    observation === undefined ? [] : [{ ...job, facts: observation.facts }],
  );
}

/** Its package.json requires more than this project does. */
function universalNote({ node }: Versions): string {
  const isOlder = Number.parseInt(node.slice(1), 10) < 22;
  return isOlder ? " (redlock-universal declares Node 22 or later, but runs on this version.)" : "";
}

/** Rows are scenarios, columns are subjects; the last column is the legend. */
export function table(
  scenarios: readonly Scenario[],
  subjectIds: readonly SubjectId[],
  runs: readonly Run[],
): string {
  const names = subjectIds.map((id) => subjectEntry(id).packageName);
  const rows = scenarios.map((scenario) => [
    `[${scenario.title}](../../${DETAILS}#${scenario.id})`,
    ...subjectIds.map((id) => cell(scenario, id, runs)),
    scenario.good,
  ]);
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const head = ["fault", ...names, "expected"];
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

function section({ id, title, setUp, note, ttlMs }: Scenario): string {
  const notes = note === undefined ? "" : ` *Note:* ${note}`;
  return `- <a id="${id}"></a>**${title}** (ttl ${span(ttlMs)}; \`--only ${id}\`). ${setUp}${notes}`;
}
