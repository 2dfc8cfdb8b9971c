import { defineCommand } from "./command.js";
import { COMPLETE } from "./complete.js";

/** A script for each shell. All of them ask the program itself, so that none of them knows its commands. */
const SCRIPTS = {
  bash: `# bash completion for quorate: eval "$(quorate completion bash)"
# What it prints, line by line: a word of COMPREPLY=(...) that looks like a pattern becomes the files that it matches.
_quorate_offer() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$@" -- "$cur")
}
_quorate_files() {
  # Quotes what is inserted, and goes on after a folder. Only known while a line is completed.
  compopt -o filenames 2>/dev/null
  _quorate_offer "$1"
}
_quorate() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" line words= IFS=$'\\n'
  COMPREPLY=()
  [[ $cur != = ]] || cur=
  while IFS= read -r line; do
    case $line in
      :file) _quorate_files -f ;;
      :command*)
        if ((COMP_CWORD > \${line#:command } + 1)); then
          _quorate_files -f
        elif [[ $cur == */* ]]; then
          _quorate_files -c
        else
          _quorate_offer -c
        fi ;;
      *) words+="\${line%%$'\\t'*}"$'\\n' ;;
    esac
  done < <("\${COMP_WORDS[0]/#\\~/$HOME}" ${COMPLETE} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  [[ -z $words ]] || _quorate_offer -W "$words"
}
complete -F _quorate quorate`,

  zsh: `#compdef quorate
# zsh completion for quorate: quorate completion zsh > "\${fpath[1]}/_quorate"
_quorate() {
  local line
  local -a offered
  for line in "\${(@f)$("\${(e)words[1]/#\\~/$HOME}" ${COMPLETE} "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      :file) _files; return ;;
      :command*)
        local before=$(( \${line#:command } + 1 ))
        shift $before words
        (( CURRENT -= before ))
        _normal
        return ;;
      *$'\\t'*) offered+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
      ?*) offered+=("\${line//:/\\\\:}") ;;
    esac
  done
  _describe -t offered 'quorate' offered
}
# Run by the completion system when it is loaded, or read by eval.
if [[ $funcstack[1] == _quorate ]]; then
  _quorate "$@"
else
  compdef _quorate quorate
fi`,

  fish: `# fish completion for quorate: quorate completion fish > ~/.config/fish/completions/quorate.fish
function __quorate_offered
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  for line in ($words[1] ${COMPLETE} $words[2..] "$current" 2>/dev/null)
    switch $line
      case :file
        __fish_complete_path $current
      case ':command*'
        set -l first (math (string replace ':command ' '' -- $line) + 2)
        complete --do-complete (string join ' ' -- (string escape -- $words[$first..]) $current)
      case '*'
        echo $line
    end
  end
end
complete -c quorate -f -a '(__quorate_offered)'`,
} as const;

const shells = Object.keys(SCRIPTS);

export const completion = defineCommand({
  name: "completion",
  summary: "Print completion for a shell",
  synopsis: shells.join("|"),
  words: { min: 1, max: 1, title: `one of ${shells.join(", ")}`, choices: shells },
  options: {},
  notes: `
bash: eval "$(quorate completion bash)" in ~/.bashrc
zsh:  quorate completion zsh > "\${fpath[1]}/_quorate"
fish: quorate completion fish > ~/.config/fish/completions/quorate.fish`,
  examples: ['eval "$(quorate completion bash)"'],
  async run({ words: [shell = ""], output }) {
    output.print(SCRIPTS[shell as keyof typeof SCRIPTS]);
    return 0;
  },
});
