import { GLOBAL_OPTIONS, defineCommand, type Command, type Options } from "./command.js";
import { bashCompletion } from "./completion/bash.js";
import type { Completed, CompletedOption } from "./completion/completed.js";
import { fishCompletion } from "./completion/fish.js";
import { zshCompletion } from "./completion/zsh.js";

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

/** The command `completion`, for these commands and itself. */
export function completionOf(others: readonly Command[]): Command {
  const shells = Object.keys(SHELLS);
  const own = defineCommand({
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
      const script = SHELLS[shell as keyof typeof SHELLS];
      output.print(script([...others, own].map(completed), completedOptions(GLOBAL_OPTIONS)));
      return 0;
    },
  });
  return own;
}

function completed({ name, summary, takesCommand, words, options }: Command): Completed {
  return {
    ...{ name, summary, takesCommand: takesCommand === true },
    ...{ words: words.choices ?? [], options: completedOptions(options) },
  };
}

function completedOptions(options: Options): readonly CompletedOption[] {
  return Object.entries(options).map(([name, option]) => {
    const { short, value, help, choices = [], completes, isRepeatable = false } = option;
    return { name, short, value, help, choices, completes, isRepeatable };
  });
}
