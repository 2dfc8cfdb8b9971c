// Prints the path of another server than the machine's own, see USAGE.
import { parseNames } from "./parse-arguments.mjs";
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

const UNAVAILABLE = 69;

const [name] = parseNames(USAGE, (names) => {
  const isServer = names.length === 1 && Object.hasOwn(SERVERS, names[0]);
  return names.length === 0 || isServer ? undefined : `there is no server '${names.join(" ")}'`;
});
if (name === undefined) list();
else {
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
