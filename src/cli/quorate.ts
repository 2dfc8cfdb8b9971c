import { titleWithoutPasswords } from "./credentials.js";
import { endBySignal } from "./exec/signals.js";
import { EXIT } from "./exit-codes.js";
import { main } from "./main.js";
import { FLUSH_MS, PatientWriter } from "./patient-writer.js";

/** The program `quorate`. */

const { env, stdout, stderr } = process;
const patient = new PatientWriter(2);

// A reader that closes its end has seen enough (`quorate ls | head`), which changes no exit code. A disk that is full does.
function onUnwritten(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") return;
  stderr.write(`quorate: cannot write the output: ${error.message}\n`);
  process.exit(EXIT.output);
}

stdout.on("error", onUnwritten);
// Notes that cannot be written are lost: a held lock must not end because of them.
stderr.on("error", () => {});

const title = titleWithoutPasswords(process.argv.slice(2));
if (title !== undefined) process.title = title;

const code = await main({ args: process.argv.slice(2), env, stdout, stderr, patient });
await patient.flush(FLUSH_MS);
process.exitCode = typeof code === "number" ? code : await endBySignal(code);
// Clients that a config module made would keep the process alive. What was printed is written first.
if (stdout.writableLength === 0) end();
else stdout.write("", end);

function end(): never {
  if (stdout.errored) onUnwritten(stdout.errored);
  process.exit();
}
