import { parseArgs } from "node:util";

const BAD_ARGUMENTS = 2;

/**
 * The arguments of this process, for scripts that have few. --help prints the usage and exits; an unknown argument
 * exits with an error that names it.
 *
 * @param options in the format of parseArgs of node:util
 * @returns the values of the options
 */
export function parseArguments(usage, options = {}) {
  const help = { type: "boolean", short: "h", default: false };
  try {
    const { values } = parseArgs({ options: { ...options, help } });
    if (!values.help) return values;
  } catch (error) {
    console.error(`${error.message}\n\n${usage}`);
    process.exit(BAD_ARGUMENTS);
  }
  console.log(usage);
  process.exit(0);
}
