import { main } from "./main.js";

/** The program `quorate`. */

// A reader that closes its end has seen enough (`quorate ls | head`): not a failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});
// Notes that cannot be written are lost: a held lock must not end because of them.
process.stderr.on("error", () => {});

const { env, stdout, stderr } = process;
process.exitCode = await main({ args: process.argv.slice(2), env, stdout, stderr });
// Clients that a config module made would keep the process alive. What was printed is written first.
stdout.write("", () => process.exit());
