// A program for child.test.ts: does what it is told.
import { serve } from "../../bench/process/serve.js";

serve(async (question: { readonly kind: string }) => {
  if (question.kind === "exit") process.exit(3);
  if (question.kind === "throw") throw new RangeError("no such thing");
  if (question.kind === "silence") return new Promise(() => {});
  return { pid: process.pid, ...question };
});
