import type { Reply } from "./child.js";

/**
 * The other side of a `Child`: answers each question with the result of the function. Whatever is still open at the
 * end, such as connections and pending acquires, ends with the process.
 */
export function serve(answer: (question: never) => Promise<unknown>): void {
  // The parent is gone.
  process.once("disconnect", () => process.exit(1));
  process.on("message", (question) => {
    void answer(question as never)
      .then((answer): Reply => ({ answer }))
      .catch((error: unknown): Reply => ({ error: String((error as Error).stack ?? error) }))
      .then((reply) => process.send?.(reply));
  });
}
