import { spellings, withValue, type Completed, type CompletedOption } from "./completed.js";

/** The script for bash, which needs nothing but bash itself. */
export function bashCompletion(
  commands: readonly Completed[],
  globals: readonly CompletedOption[],
): string {
  const runners = commands.filter(({ takesCommand }) => takesCommand).map(({ name }) => name);
  return `# bash completion for quorate: eval "$(quorate completion bash)"
_quorate() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD - 1]}" command= dashes=0 i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i]}" in
      --) dashes=$i; break ;;
      ${withValue(commands, globals).join(" | ")}) ((i++)) ;;
      -*) ;;
      *) [[ -n $command ]] || command="\${COMP_WORDS[i]}" ;;
    esac
  done
  if ((dashes > 0)); then
    case "$command" in
      ${runners.join(" | ") || "-"})
        if ((COMP_CWORD == dashes + 1)); then
          COMPREPLY=($(compgen -c -- "$cur"))
        else
          COMPREPLY=($(compgen -f -- "$cur"))
        fi ;;
    esac
    return
  fi
  case "$command:$prev" in
${valueCases("*", globals)}
${commands.map(({ name, options }) => valueCases(name, options)).join("\n")}
  esac
  local words
  if [[ $cur == -* ]]; then
    words="${optionWords(globals)}"
    case "$command" in
${commands.map(({ name, options }) => `      ${name}) words+=" ${optionWords(options)}" ;;`).join("\n")}
    esac
  else
    case "$command" in
      "") words="${commands.map(({ name }) => name).join(" ")}" ;;
${commands
  .filter(({ words }) => words.length > 0)
  .map(({ name, words }) => `      ${name}) words="${words.join(" ")}" ;;`)
  .join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _quorate quorate`;
}

function optionWords(options: readonly CompletedOption[]): string {
  return options.map(({ name }) => `--${name}`).join(" ");
}

/** What completes the value of each option that takes one. */
function valueCases(command: string, options: readonly CompletedOption[]): string {
  return options
    .filter(({ value }) => value !== undefined)
    .map((option) => {
      const patterns = spellings(option).map((each) => `${command}:${each}`);
      const action = actionOf(option);
      const reply = action === "" ? "" : `COMPREPLY=($(compgen ${action} -- "$cur")); `;
      return `    ${patterns.join(" | ")}) ${reply}return ;;`;
    })
    .join("\n");
}

function actionOf({ choices, completes }: CompletedOption): string {
  if (choices.length > 0) return `-W "${choices.join(" ")}"`;
  if (completes === "file") return "-f";
  return completes === "signal" ? "-A signal" : "";
}
