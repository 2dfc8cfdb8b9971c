import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { sizeOf } from "./called.js";
import { trips } from "./trips.js";

const USAGE = `npm run trip -- [--list]

Counts the files and functions of src that one request passes, and their calls.

  --list  also print each file with its functions`;

const { values } = parseArgs({ options: { list: { type: "boolean" }, help: { type: "boolean" } } });
if (values.help === true) {
  console.log(USAGE);
} else {
  const folder = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "src");
  for (const { title, called } of await trips(folder)) {
    const { fileCount, functionCount, callCount } = sizeOf(called);
    console.log(`${title}: ${fileCount} files, ${functionCount} functions, ${callCount} calls`);
    if (values.list !== true) continue;
    for (const [path, calls] of [...called.files].toSorted(([a], [b]) => a.localeCompare(b))) {
      const names = [...calls].map(([name, count]) => `${name.split("@")[0] || "=>"} ${count}`);
      console.log(`  ${path}: ${names.join(", ")}`);
    }
  }
}
