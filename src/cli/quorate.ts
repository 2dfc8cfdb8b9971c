import { main } from "./main.js";

/** The program `quorate`. */

// Whoever reads what is printed has seen enough (`quorate ls | head`): that is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});
// Nobody reads notes: a lock that is held must not end for that.
process.stderr.on("error", () => {});

const { env, stdout, stderr } = process;
process.exitCode = await main({ args: process.argv.slice(2), env, stdout, stderr });
