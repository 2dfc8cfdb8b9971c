/** The arguments of this process. Prints the usage and exits for --help; names the problem and exits with 2 for bad ones. */
export function givenArguments<Arguments>(
  parse: (args: readonly string[]) => Arguments,
  usage: string,
): Arguments {
  const args = process.argv.slice(2);
  if (args.includes("--help")) {
    console.log(usage);
    process.exit(0);
  }
  try {
    return parse(args);
  } catch (error) {
    console.error(`${(error as Error).message}\n${usage}`);
    process.exit(2);
  }
}
