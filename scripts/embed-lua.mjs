// Makes TypeScript modules of the Lua that ships: the files of a script in one text, without comments
// and indentation. Runs before everything that compiles, and writes only what has changed.
// Plain node without packages, because it runs before anything is installed.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The modules, and of each its scripts: what their names begin with, and the file that includes the rest. */
const MODULES = {
  "src/script/embedded-lua.ts": {
    batch: "src/script/batch.lua",
    handshake: "src/script/handshake.lua",
  },
  "src/fencing/embedded-lua.ts": { fence: "src/fencing/fence.lua" },
};

/** Their files, from the root. */
export const SCRIPTS = Object.values(MODULES).flatMap((scripts) => Object.values(scripts));

const INCLUDE = /^[ ]*-- include (\S+)$/gm;
const CONSTANTS = /^-- luacheck: read globals (.+)$/gm;
/** A string, or a comment; what is found first is what it is. */
const STRING_OR_COMMENT = /('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")|--.*$/gm;

/** Writes the modules that are not up to date. */
export function embedLua() {
  for (const [path, scripts] of Object.entries(MODULES)) {
    const text = moduleOf(scripts);
    if (readOr(join(root, path), "") !== text) writeFileSync(join(root, path), text);
  }
}

function moduleOf(scripts) {
  const parts = Object.entries(scripts).map(([name, path]) => exportsOf(name, wholeOf(path)));
  return `// Written by scripts/embed-lua.mjs from the .lua files beside it.\n${parts.join("")}`;
}

/** A script with its hash; or, where it takes constants from us, the rest of it and their names. */
function exportsOf(name, whole) {
  const [upper, code] = [name.toUpperCase(), strip(whole)];
  const names = [...whole.matchAll(CONSTANTS)].flatMap(([, list]) => list.split(" "));
  if (names.length === 0) {
    const sha = createHash("sha1").update(code).digest("hex");
    return `\nexport const ${upper}_SCRIPT: string = ${JSON.stringify(code)};\n
export const ${upper}_SHA = "${sha}";\n`;
  }
  const union = [...new Set(names)].map((constant) => JSON.stringify(constant));
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Constant`;
  return `\nexport const ${upper}_LUA: string = ${JSON.stringify(code)};\n
/** Locals that it has to begin with. */
export type ${type} = ${union.join(" | ")};\n`;
}

/** The text of a file, with those that it includes in their places. */
export function wholeOf(path) {
  const text = readFileSync(join(root, path), "utf8");
  return text.replace(INCLUDE, (_, other) => wholeOf(join(dirname(path), other)));
}

function strip(text) {
  const code = text.replace(STRING_OR_COMMENT, (_, string) => string ?? "");
  if (/\[=*\[/.test(code)) throw new Error("long brackets are not understood here: use others");
  const lines = code.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "").join("\n");
}

function readOr(path, otherwise) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return otherwise;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) embedLua();
