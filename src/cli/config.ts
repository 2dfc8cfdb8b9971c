import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { LockManagerOptions, NodeConfig, NodeOptions } from "../index.js";
import { splitList, type Call } from "./command.js";
import { hasPassword, hasUserInfo } from "./credentials.js";
import { ConfigError, UsageError } from "./exit-codes.js";

/** The files that are tried if no config file was named. */
const DEFAULT_FILES = ["quorate.config.json", "quorate.config.mjs"];

/** The arguments of a `LockManager`, and where they came from. */
export interface Settings {
  readonly nodes: readonly NodeConfig[];
  /** For messages: `--nodes`, `QUORATE_NODES`, or the path of the config file. */
  readonly nodesFrom: string;
  readonly options: LockManagerOptions;
  /** The config file, if there is one. An absolute path. */
  readonly file: string | undefined;
  /** The file that the password was read from, if it was. An absolute path. */
  readonly passwordFile: string | undefined;
}

type Source = Pick<Call, "globals" | "env" | "output">;

/**
 * Nodes and options from the command line, the environment and the config file, in this order.
 *
 * @throws UsageError if no nodes were given, or an empty option; ConfigError for a file that cannot be read
 */
export async function loadSettings({ globals, env, output }: Source): Promise<Settings> {
  const file = fileOf(globals.config, env);
  const { nodes: ofFile, ...options } = file === undefined ? {} : await loadFile(file);
  if (file !== undefined) output.detail(`config file ${file}`);
  const { nodes, nodesFrom } = nodesOf(globals.nodes, env, ofFile, file);
  if (
    nodesFrom === "--nodes" &&
    nodes.some((node) => typeof node === "string" && hasPassword(node))
  ) {
    output.note(
      "the password in --nodes is visible in the process list; use QUORATE_PASSWORD_FILE",
    );
  }
  const { passwordFile, ...credentials } = credentialsOf(env);
  return {
    nodes: nodes.map((node) => withCredentials(node, credentials)),
    ...{ nodesFrom, options, file, passwordFile },
  };
}

function fileOf(given: string | undefined, env: Call["env"]): string | undefined {
  if (given === "") throw new UsageError("--config names no file");
  const named = given ?? env["QUORATE_CONFIG"];
  try {
    if (named !== undefined && named !== "") return resolve(named);
    return DEFAULT_FILES.map((name) => resolve(name)).find((path) => existsSync(path));
  } catch (error) {
    // The working directory was removed, and with it a file that may have been there.
    if (!named) return undefined;
    throw new ConfigError(`cannot read ${named}: ${(error as Error).message}`);
  }
}

async function loadFile(file: string): Promise<LockManagerOptions & { nodes?: unknown }> {
  const content = await contentOf(file);
  if (typeof content === "object" && content !== null && !Array.isArray(content)) return content;
  throw new ConfigError(`${file} must be an object with \`nodes\` and options of a LockManager`);
}

async function contentOf(file: string): Promise<unknown> {
  try {
    if (file.endsWith(".json")) return JSON.parse(readFileSync(file, "utf8"));
    const module = (await import(pathToFileURL(file).href)) as { readonly default?: unknown };
    return module.default;
  } catch (error) {
    throw new ConfigError(`cannot read ${file}: ${(error as Error).message}`);
  }
}

function nodesOf(
  given: readonly string[] | undefined,
  env: Call["env"],
  ofFile: unknown,
  file: string | undefined,
): Pick<Settings, "nodes" | "nodesFrom"> {
  const ofEnv = splitList(env["QUORATE_NODES"] ?? "");
  // As of `--nodes "$UNSET"`: it must not fall back to the nodes of another deployment.
  if (given?.length === 0) throw new UsageError("--nodes names no node");
  if (given !== undefined) return { nodes: given, nodesFrom: "--nodes" };
  if (ofEnv.length > 0) return { nodes: ofEnv, nodesFrom: "QUORATE_NODES" };
  if (ofFile === undefined || file === undefined) {
    const inFile = file === undefined ? "in a config file (--config)" : `as \`nodes\` in ${file}`;
    throw new UsageError(`no nodes: give their URLs with --nodes, in QUORATE_NODES, or ${inFile}`);
  }
  if (!Array.isArray(ofFile)) throw new ConfigError(`\`nodes\` in ${file} must be an array`);
  return { nodes: ofFile as readonly NodeConfig[], nodesFrom: file };
}

interface Credentials {
  readonly username?: string;
  readonly password?: string;
}

function credentialsOf(env: Call["env"]): Credentials & Pick<Settings, "passwordFile"> {
  const { QUORATE_USERNAME: username, QUORATE_PASSWORD: given, QUORATE_PASSWORD_FILE: file } = env;
  const read = !given && file ? passwordIn(file) : undefined;
  const password = given || read?.password;
  return {
    ...(username && { username }),
    ...(password && { password }),
    passwordFile: read?.passwordFile,
  };
}

function passwordIn(file: string): { readonly password: string; readonly passwordFile: string } {
  try {
    const passwordFile = resolve(file);
    // Editors end files with a line feed, passwords do not.
    return { password: readFileSync(passwordFile, "utf8").replace(/\r?\n$/, ""), passwordFile };
  } catch (error) {
    throw new ConfigError(`cannot read QUORATE_PASSWORD_FILE: ${(error as Error).message}`);
  }
}

/** Adds the credentials of the environment to a node that has none of its own. */
function withCredentials(node: NodeConfig, credentials: Credentials): NodeConfig {
  if (Object.keys(credentials).length === 0) return node;
  const own: NodeOptions | undefined =
    typeof node === "string" ? { url: node } : isPlain(node) ? node : undefined;
  if (own === undefined || own.client !== undefined || hasUserInfo(own.url ?? "")) return node;
  if (own.options?.username !== undefined || own.options?.password !== undefined) return node;
  return { ...own, options: { ...own.options, ...credentials } };
}

/** Anything but an object with options (a client, or a mistake) is left to the library. */
function isPlain(node: unknown): node is NodeOptions {
  return (
    typeof node === "object" &&
    node !== null &&
    ("url" in node || "options" in node) &&
    !("duplicate" in node)
  );
}
