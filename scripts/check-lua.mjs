// Part of npm run check: lints the Lua if luacheck is installed (Debian: lua-check).
import { spawnSync } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const args = ["--no-color", "--quiet", "--quiet", "src"];
const { error, status } = spawnSync("luacheck", args, { cwd: root, stdio: "inherit" });
if (error === undefined) process.exitCode = status ?? 1;
else console.error(`luacheck does not run, so the Lua is not linted: ${error.message}`);
