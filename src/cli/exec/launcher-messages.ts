import type { SpawnOptions } from "node:child_process";

/** Options of `spawn` that another thread can be sent. */
export type LaunchOptions = Pick<SpawnOptions, "env" | "detached"> & {
  readonly stdio: (number | "ignore")[];
};

/** What the thread is started with. */
export interface LaunchRequest {
  readonly program: string;
  readonly args: readonly string[];
  readonly options: LaunchOptions;
  /** Not 0: the thread may go on, and reap the process. */
  readonly gate: Int32Array;
}

export type LauncherMessage =
  | { readonly kind: "started"; readonly pid: number }
  | { readonly kind: "failed"; readonly message: string; readonly code: string | undefined }
  | {
      readonly kind: "ended";
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
    };
