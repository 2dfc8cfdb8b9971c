import type { Reply } from "./child.js";

/**
 * The other side of a `Child`: answers its questions with what the function resolves to. What is
 * still open at the end, connections and waiting acquires, ends with the process.
 */
export function serve(answer: (question: never) => Promise<unknown>): void {
  // Whoever asked has gone.
  process.once("disconnect", () => process.exit(1));
  process.on("message", (question) => {
    void answer(question as never)
      .then((answer): Reply => ({ answer }))
      .catch((error: unknown): Reply => ({ error: String((error as Error).stack ?? error) }))
      .then((reply) => process.send?.(reply));
  });
}
