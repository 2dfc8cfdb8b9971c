import { withValue, type Completed, type CompletedOption } from "./completed.js";

/** The script for fish, a file in its completions directory. */
export function fishCompletion(
  commands: readonly Completed[],
  globals: readonly CompletedOption[],
): string {
  const runners = commands.filter(({ takesCommand }) => takesCommand).map(({ name }) => name);
  const lines = [
    "# fish completion for quorate: quorate completion fish > ~/.config/fish/completions/quorate.fish",
    "function __quorate_after_dashes",
    "  contains -- -- (commandline -opc)",
    "end",
    "function __quorate_command",
    "  set -l is_value no",
    "  for word in (commandline -opc)[2..]",
    "    if test $is_value = yes",
    "      set is_value no",
    "      continue",
    "    end",
    "    switch $word",
    "      case --",
    "        return 1",
    `      case ${withValue(commands, globals).join(" ")}`,
    "        set is_value yes",
    "      case '-*'",
    "      case '*'",
    "        echo $word",
    "        return 0",
    "    end",
    "  end",
    "  return 1",
    "end",
    "complete -c quorate -f",
    ...commands.map(({ name, summary }) => {
      return `complete -c quorate -n 'not __quorate_command >/dev/null' -a ${name} -d ${quoted(summary)}`;
    }),
    ...globals.map((option) => lineOf("not __quorate_after_dashes", option)),
    ...commands.flatMap(({ name, words, options }) => [
      ...(words.length === 0
        ? []
        : [`complete -c quorate -n ${quoted(seen(name))} -a ${quoted(words.join(" "))}`]),
      ...options.map((option) => lineOf(`not __quorate_after_dashes; and ${seen(name)}`, option)),
    ]),
    ...(runners.length === 0
      ? []
      : [
          `complete -c quorate -F -n ${quoted(`__quorate_after_dashes; and ${seen(runners.join(" "))}`)} -a '(__fish_complete_command)'`,
        ]),
  ];
  return lines.join("\n");
}

function seen(names: string): string {
  return `contains -- (__quorate_command; or echo -) ${names}`;
}

function lineOf(condition: string, option: CompletedOption): string {
  const { name, short, value, help, choices, completes } = option;
  const letter = short === undefined ? "" : ` -s ${short}`;
  const ofValue =
    completes === "file"
      ? " -r -F"
      : choices.length > 0
        ? ` -x -a ${quoted(choices.join(" "))}`
        : completes === "signal"
          ? " -x -a '(kill -l | string split \" \")'"
          : value === undefined
            ? ""
            : " -x";
  return `complete -c quorate -n ${quoted(condition)}${letter} -l ${name}${ofValue} -d ${quoted(help)}`;
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
