import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { until } from "./raw-client.js";

const TESTING = new URL("../../src/testing/index.js", import.meta.url).href;

/** A process with servers of its own, of which the second is paused. */
export interface Parent<Report> {
  readonly child: ChildProcess;
  readonly ports: readonly number[];
  readonly report: Report;
}

/** What the process does once its servers run. */
export interface ParentPlan {
  readonly provider: "process" | "docker";
  /** Statements that import what `report` needs. */
  readonly imports?: string;
  /** Expression for what the test wants to know. */
  readonly report?: string;
  /** Last statements of the process. */
  readonly ending: string;
}

/** Starts such a process; resolves when its servers run and it has reported. */
export async function parentThat<Report = unknown>(plan: ParentPlan): Promise<Parent<Report>> {
  const script = `
    import { RedisFleet } from ${JSON.stringify(TESTING)};
    ${plan.imports ?? ""}
    const fleet = await RedisFleet.start({ nodes: 2, provider: "${plan.provider}" });
    await fleet.nodes[1].pause();
    const ports = fleet.nodes.map((node) => node.port);
    const report = ${plan.report ?? "null"};
    process.stdout.write(JSON.stringify({ ports, report }) + "\\n");
    ${plan.ending}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  let isClosed = false;
  // Not its exit, which may be seen before the last of its output.
  child.once("close", () => (isClosed = true));
  await until(() => text.endsWith("\n") || isClosed, 25_000);
  const said: { ports: number[]; report: Report } = JSON.parse(text);
  return { child, ...said };
}
