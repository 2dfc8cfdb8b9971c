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
  return parsed(usage, { options }).values;
}

/**
 * The same for scripts that take names and no options.
 *
 * @param problemOf says what is wrong with the names; undefined if nothing is
 * @returns {string[]} the names
 */
export function parseNames(usage, problemOf) {
  return parsed(usage, { allowPositionals: true }, problemOf).positionals;
}

function parsed(usage, { options, ...how }, problemOf = () => undefined) {
  const help = { type: "boolean", short: "h", default: false };
  try {
    const given = parseArgs({ ...how, options: { ...options, help } });
    const problem = given.values.help ? undefined : problemOf(given.positionals);
    if (problem !== undefined) throw new Error(problem);
    if (!given.values.help) return given;
  } catch (error) {
    console.error(`${error.message}\n\n${usage}`);
    process.exit(BAD_ARGUMENTS);
  }
  console.log(usage);
  process.exit(0);
}
