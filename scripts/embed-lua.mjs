// Generates TypeScript modules from the Lua that ships: all files of a script as one text, without comments and
// indentation. Runs before every compilation, and writes only what has changed. It uses no packages, because it runs
// before anything is installed.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The modules and their scripts: by name prefix, the file and the files that it may require. */
const MODULES = {
  "src/script/embedded-lua.ts": {
    // `require` does not cache the modules of fast/, which a call seldom needs twice: the batch must be quick.
    batch: {
      file: "batch.lua",
      requires: [
        "fast",
        "exclusive_acquire.lua",
        "slow_path.lua",
        "kinds",
        "lib",
        "queue",
        "steps",
      ],
      unkept: ["fast"],
    },
    handshake: { file: "handshake.lua" },
    mortal: { file: "mortal.lua" },
    atomicity: { file: "atomicity.lua" },
    publishing: { file: "publishing.lua" },
  },
  "src/testing/embedded-lua.ts": { flush: { file: "flush.lua" } },
  "src/fencing/embedded-lua.ts": { fence: { file: "fence.lua" } },
};

/** The constants that a file uses; luacheck enforces the list. */
const CONSTANTS = /^-- luacheck: read globals (.+)$/gm;
/** Of a file, by its name; or of one of a folder, whose name is found out when it is needed. */
const REQUIRED = /\brequire\('(?:([\w.]+)'\)|(\w+)\.' \.\. )/g;
/** A string, a comment, or a word of code, whichever is found first. */
const TOKEN = /('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")|(--.*)$|(\b[A-Za-z_]\w*\b)/gm;

/** Writes the modules that are out of date. */
export function embedLua() {
  for (const [path, text] of embeddedModules()) {
    if (readOr(join(root, path), "") !== text) writeFileSync(join(root, path), text);
  }
}

/**
 * The modules, by their paths.
 *
 * @param {ReadonlyMap<string, string>} changed texts of `.lua` files that differ from those on disk, by their paths
 * @returns {Map<string, string>}
 */
export function embeddedModules(changed = new Map()) {
  const modules = Object.entries(MODULES).map(([path, scripts]) => {
    const source = { folder: dirname(path), changed };
    const parts = Object.entries(scripts).map(([name, script]) => exportsOf(name, source, script));
    return [
      path,
      `// Written by scripts/embed-lua.mjs from the .lua files beside it.\n${parts.join("")}`,
    ];
  });
  return new Map(modules);
}

/** A script with its hash; if it uses constants, a function that builds it from them. */
function exportsOf(name, source, { file, requires = [], unkept = [] }) {
  const main = fileOf(source, file);
  const others = requires.flatMap((path) => filesOf(source, path, !unkept.includes(path)));
  const pieces = others.length > 0 ? piecesWith(others, main) : piecesOf(main.code, file);
  const constants = new Set(pieces.flatMap((piece) => piece.constant ?? []));
  if (constants.size === 0) {
    const code = pieces.join("");
    const sha = createHash("sha1").update(code).digest("hex");
    const upper = name.toUpperCase();
    return `\nexport const ${upper}_SCRIPT: string = ${JSON.stringify(code)};\n
export const ${upper}_SHA = "${sha}";\n`;
  }
  const names = [...constants].map((constant) => JSON.stringify(constant)).join(" | ");
  return `\n/** @param lua constants that it uses, as Lua writes them */
export function ${name}Script(lua: Readonly<Record<${names}, string>>): string {
  return [${written(pieces)}].join("");
}\n`;
}

/** A file, or all of a folder. */
function filesOf(source, path, isKept) {
  if (path.endsWith(".lua")) return [fileOf(source, path, isKept)];
  const all = readdirSync(join(root, source.folder, path)).filter((file) => file.endsWith(".lua"));
  return all.map((file) => fileOf(source, `${path}/${file}`, isKept));
}

/** A file and the name by which it is required. */
function fileOf({ folder, changed }, path, isKept = false) {
  const within = `${folder}/${path}`;
  const text = changed.get(within) ?? readFileSync(join(root, within), "utf8");
  const name = path.replace(/\.lua$/, "").replaceAll("/", ".");
  return { path, name, code: isKept ? keptAsFound(text) : text };
}

/** Its code runs within `require`, without a function of its own, which would have to be created. */
function keptAsFound(text) {
  const at = text.lastIndexOf("\nreturn ");
  return `${text.slice(0, at)}\nfound = ${text.slice(at + "\nreturn ".length)}`;
}

function written(pieces) {
  const all = pieces.map((piece) =>
    piece.constant ? `lua.${piece.constant}` : JSON.stringify(piece),
  );
  return all.join(", ");
}

function piecesOf(text, path) {
  const names = [...text.matchAll(CONSTANTS)].flatMap(([, list]) => list.split(" "));
  const code = text.replace(TOKEN, (token, string, comment, word) => {
    if (comment !== undefined) return "";
    return word !== undefined && names.includes(word) ? `\0${word}\0` : token;
  });
  if (/\[=*\[/.test(code)) throw new Error(`${path}: long brackets are not understood`);
  const lines = code.split("\n").map((line) => line.trim());
  const pieces = `${lines.filter((line) => line !== "").join("\n")}\n`.split("\0");
  return pieces.map((piece, at) => (at % 2 === 0 ? piece : { constant: piece }));
}

/**
 * The main file behind a `require` for the others, which creates only the functions of files that are required. It knows
 * them by number, halves their range until it has found one, and keeps them in an array of that length: to compare names,
 * and to let a table grow, took more than half of what a lock that changes hands executes. What finds them by name is
 * one more file: few calls need it.
 */
function piecesWith(others, main) {
  const numbers = new Map(others.map(({ name }, at) => [name, at + 1]));
  const numberOf = (name) => {
    if (!numbers.has(name)) throw new Error(`there is no ${name} to require`);
    return numbers.get(name);
  };
  const byName = others.length + 1;
  const piecesIn = ({ path, code }) => {
    const byNumber = code.replace(REQUIRED, (_, name, folder) =>
      name === undefined ? `require(${byName})('${folder}.' .. ` : `require(${numberOf(name)})`,
    );
    return piecesOf(byNumber, path);
  };
  const files = [...others, finderOf([...others, main], numbers)];
  const codes = [...files, main].map(piecesIn);
  const branches = (from, to) => {
    if (to - from === 1) return codes[from];
    const middle = Math.ceil((from + to) / 2);
    const start = `if at <= ${middle} then\n`;
    return [start, ...branches(from, middle), "else\n", ...branches(middle, to), "end\n"];
  };
  const start = `local require, loaded
function require(at)
local found = loaded and loaded[at]
if found then return found end
`;
  const end = `loaded = loaded or { ${files.map(() => "nil").join(", ")} }
loaded[at] = found
return found
end
`;
  return [start, ...branches(0, files.length), end, ...codes[files.length]];
}

/** A function that requires by name, for the folders of which that is asked. */
function finderOf(files, numbers) {
  const required = files.flatMap(({ code }) => [...code.matchAll(REQUIRED)]);
  const folders = new Set(required.map(([, , folder]) => folder));
  const lines = [...numbers]
    .filter(([name]) => folders.has(name.split(".")[0]))
    .map(([name, number]) => `if name == '${name}' then return require(${number}) end\n`);
  return { path: "by name", code: `found = function(name)\n${lines.join("")}end\n` };
}

function readOr(path, otherwise) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return otherwise;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) embedLua();
