// Prints the path of another server than the machine's own, see USAGE.
import { keptServer, NotAvailableError, obtainServer, SERVERS } from "./server-programs.mjs";

const USAGE = `usage: node scripts/servers.mjs [NAME]

Fetches or builds another server than the machine's own, once, and prints the path of its program:

  QUORATE_REDIS_SERVER=$(node scripts/servers.mjs valkey-9.1) npm test -- test/conformance

Without NAME it lists the names. Those with three numbers are built from source, which needs make, a C compiler and the
headers of OpenSSL. The others are packages of Debian, and need apt-get; nothing is installed.

  XDG_CACHE_HOME          servers are kept in quorate/servers there (default: ~/.cache)
  QUORATE_SERVERS_MIRROR  a directory in place of the network: NAME.tar.gz, and a repository of packages in debian

Exit codes: 1 it cannot be built, or is not what its makers published; 2 bad arguments; 69 it cannot be had here and now,
for example without a network.`;

const BAD_ARGUMENTS = 2;
const UNAVAILABLE = 69;

const [name, ...more] = process.argv.slice(2);
if (name === "--help" || name === "-h") console.log(USAGE);
else if (name === undefined) list();
else if (more.length > 0 || !Object.hasOwn(SERVERS, name)) {
  console.error(`there is no server '${[name, ...more].join(" ")}'\n\n${USAGE}`);
  process.exitCode = BAD_ARGUMENTS;
} else {
  try {
    console.log(await obtainServer(name));
  } catch (error) {
    console.error(`${name}: ${error.message}`);
    process.exitCode = error instanceof NotAvailableError ? UNAVAILABLE : 1;
  }
}

function list() {
  for (const each of Object.keys(SERVERS))
    console.log(`${each.padEnd(14)}${keptServer(each) ?? ""}`.trimEnd());
}
