import type { Completed, CompletedOption } from "./completed.js";

/** The script for zsh, a file in its `fpath`. */
export function zshCompletion(
  commands: readonly Completed[],
  globals: readonly CompletedOption[],
): string {
  const described = commands.map(({ name, summary }) => quoted(`${name}:${summary}`));
  return `#compdef quorate
# zsh completion for quorate: quorate completion zsh > "\${fpath[1]}/_quorate"
_quorate() {
  local curcontext="$curcontext" state line ret=1
  local -a commands
  typeset -A opt_args
  commands=(
    ${described.join("\n    ")}
  )
  _arguments -C -S -s \\
    ${specs(globals)} \\
    '(-)1: :->command' \\
    '(-)*:: :->rest' && ret=0
  case $state in
    command) _describe -t commands 'command of quorate' commands && ret=0 ;;
    rest)
      local name=$words[1] dashes=\${words[(i)--]}
      if (( dashes < CURRENT )); then
        shift $dashes words
        (( CURRENT -= dashes ))
        _normal && ret=0
        return ret
      fi
      case $name in
${commands.map((command) => commandCase(command, globals)).join("\n")}
      esac ;;
  esac
  return ret
}
# Run by the completion system when it is loaded, or read by eval.
if [[ $funcstack[1] == _quorate ]]; then
  _quorate "$@"
else
  compdef _quorate quorate
fi`;
}

function commandCase(
  { name, words, options }: Completed,
  globals: readonly CompletedOption[],
): string {
  const rest = words.length > 0 ? quoted(`1: :(${words.join(" ")})`) : quoted("*: :");
  return `        ${name})
          _arguments -S -s \\
            ${specs([...options, ...globals])} \\
            ${rest} && ret=0 ;;`;
}

function specs(options: readonly CompletedOption[]): string {
  return options.map(specOf).join(" \\\n            ");
}

function specOf(option: CompletedOption): string {
  const { name, short, value, help, isRepeatable } = option;
  const about = `[${help.replace(/[[\]\\]/g, "\\$&")}]`;
  const argument =
    value === undefined ? "" : `:${value.replaceAll(":", "\\:")}:${actionOf(option)}`;
  const long = value === undefined ? `--${name}` : `--${name}=`;
  if (short === undefined) return quoted((isRepeatable ? "*" : "") + long + about + argument);
  const letter = value === undefined ? `-${short}` : `-${short}+`;
  // "*": it is offered again. The list in parentheses: once it was given, neither of its forms is.
  const again = isRepeatable ? "*" : `(-${short} --${name})`;
  return `${quoted(again)}{${letter},${long}}${quoted(about + argument)}`;
}

function actionOf({ choices, completes }: CompletedOption): string {
  if (choices.length > 0) return `(${choices.join(" ")})`;
  if (completes === "file") return "_files";
  return completes === "signal" ? "_signals" : " ";
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
