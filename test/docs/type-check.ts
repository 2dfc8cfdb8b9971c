import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageDist } from "../support/package.js";
import { root } from "./project.js";

/** Something to compile, and where it came from. */
export interface Sample {
  /** Such as `docs/operate/nodes.md`. */
  readonly page: string;
  /** Line of the page on which the code begins. */
  readonly line: number;
  readonly code: string;
}

/** What a sample may use without saying where it comes from. */
const AMBIENT = `
declare const locks: import("quorate").LockManager;
declare const db: {
  query(sql: string, values: readonly unknown[]): Promise<{ readonly rowCount: number }>;
};
// The work that is done under the locks of docs/how-to/recipes.md and cron.md.
declare function sendReport(options: { readonly signal: AbortSignal }): Promise<void>;
declare function warmCache(): Promise<void>;
// Of docs/how-to/election.md.
declare const signal: AbortSignal;
declare function connectTo(address: string | undefined): void;
// Of docs/how-to/transports.md.
declare function transportTo(url: string): import("quorate/testing").CommandTransport;
`;

/** Each entry of the package, and the types that ship for it. */
function entries(): Record<string, readonly string[]> {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
  };
  const typed = Object.entries(exports).flatMap(([entry, to]) =>
    typeof to === "string" ? [] : [[entry, to.types] as const],
  );
  return Object.fromEntries(
    typed.map(([entry, types]) => [
      entry.replace(".", "quorate"),
      [types.replace("./dist", packageDist())],
    ]),
  );
}

const config = () => ({
  extends: join(root, "tsconfig.json"),
  compilerOptions: {
    rootDir: root,
    noEmit: true,
    types: ["node"],
    // Of NestJS.
    experimentalDecorators: true,
    // Every sample is a module of its own, also one that imports nothing.
    moduleDetection: "force",
    paths: {
      ...entries(),
      // Which an ES module cannot resolve by itself.
      redlock: [join(root, "node_modules", "redlock", "dist", "index.d.ts")],
      // Installed under the number of its version.
      redis: [join(root, "node_modules", "redis-6", "dist", "index.d.ts")],
    },
  },
  // Without the declarations of the repository: samples are programs of users.
  files: [],
  include: ["*.ts"],
});

/**
 * Compiles the samples against the types of the package, without output.
 *
 * @returns one line an error, `page:line:column` first; none if all is well
 */
export function typeCheck(samples: readonly Sample[]): string[] {
  // Inside of the project, so that its packages are found.
  mkdirSync(join(root, ".tmp"), { recursive: true });
  const dir = mkdtempSync(join(root, ".tmp", "docs-"));
  try {
    writeFileSync(join(dir, "tsconfig.json"), JSON.stringify(config()));
    writeFileSync(join(dir, "ambient.d.ts"), AMBIENT);
    samples.forEach(({ line, code }, index) => {
      // The compiler's line numbers are the page's.
      writeFileSync(join(dir, `sample-${index}.ts`), "\n".repeat(line - 1) + code);
    });
    const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
    // By itself it has four checkers, which check much of the same.
    const flags = ["--checkers", "2", "--pretty", "false"];
    const args = [tsc, "-p", join(dir, "tsconfig.json"), ...flags];
    const { status, stdout } = spawnSync(process.execPath, args, { cwd: dir, encoding: "utf8" });
    const errors = stdout.split("\n").filter((line) => line.includes(": error TS"));
    if (status !== 0 && errors.length === 0) throw new Error(`tsc failed: ${stdout}`);
    return errors.map((error) =>
      error.replace(
        /^.*sample-(\d+)\.ts\((\d+),(\d+)\)/,
        (_, index: string, line: string, column: string) =>
          `${samples[Number(index)]?.page}:${line}:${column}`,
      ),
    );
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
