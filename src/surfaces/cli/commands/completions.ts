// `palimpsest completions`: scripts that complete commands and flags in bash, zsh and fish.
// Invariant: topics, verbs, flags and their help come from the tables of commands and flags; a script starts no program, so
// a key press does not wait for Node.
import { ConfigError } from "../../../base/errors.ts";
import { nearestName } from "../../../base/nearest-name.ts";
import { type Command, commandTable } from "../command.ts";
import { commonFlags, flagOf } from "../parse/flags.ts";

type Choice = readonly [word: string, help: string];

interface Choices {
  readonly topics: readonly Choice[];
  /** The verbs of each topic. A topic without verbs is not included. */
  readonly verbs: ReadonlyMap<string, readonly Choice[]>;
  /** The flags of each command, by the words of the command, such as `agents list`. */
  readonly flags: ReadonlyMap<string, readonly Choice[]>;
}

const scripts: Readonly<Record<string, (choices: Choices) => string>> = { bash, zsh, fish };

/** Returns the command `completions`. `all` returns all commands, including `completions`. */
export const completionCommands = (all: () => readonly Command[]): readonly Command[] =>
  commandTable({
    completions: {
      usage: "bash|zsh|fish",
      summary: "print a script that completes words in your shell",
      details:
        "bash: palimpsest completions bash > ~/.local/share/bash-completion/completions/palimpsest\n" +
        "zsh:  palimpsest completions zsh > DIR/_palimpsest, for a folder DIR of $fpath\n" +
        "fish: palimpsest completions fish > ~/.config/fish/completions/palimpsest.fish",
      withoutStore: true,
      async run(_call, shell) {
        const write = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
        if (write === undefined) {
          const near = nearestName(shell, Object.keys(scripts));
          const hint = near === undefined ? "There are scripts for bash, zsh and fish." : `Did you mean "${near}"?`;
          throw new ConfigError(`completions: no script for the shell "${shell}". ${hint}`);
        }
        return { text: write(choicesOf(all())) };
      },
    },
  });

function choicesOf(all: readonly Command[]): Choices {
  const summaries = new Map(all.map(({ words, summary }) => [words.join(" "), summary]));
  const verbsOf = (topic: string): readonly Choice[] =>
    all.flatMap(({ words: [first, verb], summary }) =>
      first === topic && verb !== undefined ? [[verb, summary]] : [],
    );
  const topics = [...new Set(all.map(({ words: [topic = ""] }) => topic))].map((topic): Choice => {
    const verbs = verbsOf(topic).map(([verb]) => verb);
    return [topic, summaries.get(topic) ?? verbs.join(", ")];
  });
  // A script takes the first pattern that matches, so `agents list` must come before `agents`.
  const longestFirst = all.toSorted((one, other) => other.words.length - one.words.length);
  return {
    topics,
    verbs: new Map(topics.map(([topic]) => [topic, verbsOf(topic)] as const).filter(([, verbs]) => verbs.length > 0)),
    flags: new Map(longestFirst.map((command) => [command.words.join(" "), flagChoices(command)])),
  };
}

function flagChoices({ flags }: Command): readonly Choice[] {
  return [...flags, ...commonFlags].map((name) => [`--${name}`, flagOf(name).help]);
}

/** Returns the shell pattern that matches the command in `case "$topic $verb"`. */
function patternOf(words: string): string {
  return words.includes(" ") ? `"${words}"` : `"${words} "*`;
}

function bash({ topics, verbs, flags }: Choices): string {
  const wordsOf = (choices: readonly Choice[] = []): string => choices.map(([word]) => word).join(" ");
  return `# Completes commands and flags of palimpsest in bash. Written by \`palimpsest completions bash\`.
_palimpsest() {
  local current=\${COMP_WORDS[COMP_CWORD]} topic="" verb="" choices="" first=\${COMP_WORDS[1]:-} second=\${COMP_WORDS[2]:-}
  [ "$COMP_CWORD" -gt 1 ] && [[ $first != -* ]] && topic=$first
  [ "$COMP_CWORD" -gt 2 ] && [ -n "$topic" ] && [[ $second != -* ]] && verb=$second
  if [[ $current == -* ]]; then
    case "$topic $verb" in
${[...flags].map(([words, list]) => `      ${patternOf(words)}) choices="${wordsOf(list)}" ;;`).join("\n")}
      *) choices="${wordsOf(flags.get("chat"))}" ;;
    esac
  elif [ "$COMP_CWORD" = 1 ]; then
    choices="${wordsOf(topics)} help"
  elif [ "$COMP_CWORD" = 2 ] || { [ "$COMP_CWORD" = 3 ] && [ "$topic" = help ]; }; then
    [ "$topic" = help ] && [ "$COMP_CWORD" = 3 ] && topic=$second
    case "$topic" in
      help) choices="${wordsOf(topics)}" ;;
${[...verbs].map(([topic, list]) => `      ${topic}) choices="${wordsOf(list)}" ;;`).join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$choices" -- "$current"))
}
complete -o default -F _palimpsest palimpsest`;
}

function zsh({ topics, verbs, flags }: Choices): string {
  const listed = (choices: readonly Choice[] = []): string =>
    choices.map(([word, help]) => quoted(`${word}:${help}`)).join(" ");
  return `#compdef palimpsest
# Completes commands and flags of palimpsest in zsh. Written by \`palimpsest completions zsh\`.
_palimpsest() {
  local topic="" verb=""
  local -a choices
  (( CURRENT > 2 )) && [[ $words[2] != -* ]] && topic=$words[2]
  (( CURRENT > 3 )) && [[ -n $topic && $words[3] != -* ]] && verb=$words[3]
  if [[ $words[CURRENT] == -* ]]; then
    case "$topic $verb" in
${[...flags].map(([words, list]) => `      ${patternOf(words)}) choices=(${listed(list)}) ;;`).join("\n")}
      *) choices=(${listed(flags.get("chat"))}) ;;
    esac
  elif (( CURRENT == 2 )); then
    choices=(${listed(topics)} ${quoted("help:show help")})
  elif (( CURRENT == 3 )) || { (( CURRENT == 4 )) && [[ $topic == help ]] }; then
    (( CURRENT == 4 )) && topic=$words[3]
    case "$topic" in
      help) choices=(${listed(topics)}) ;;
${[...verbs].map(([topic, list]) => `      ${topic}) choices=(${listed(list)}) ;;`).join("\n")}
    esac
  fi
  if (( $#choices )); then _describe 'palimpsest' choices; else _files; fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _palimpsest "$@"; else compdef _palimpsest palimpsest; fi`;
}

function fish({ topics, verbs, flags }: Choices): string {
  const line = (condition: string, [word, help]: Choice): string => {
    const isFlag = word.startsWith("--");
    const shown = isFlag ? `-l ${word.slice(2)}` : `-f -a ${word}`;
    return `complete -n ${quoted(condition)} ${shown} -d ${quoted(help)} -c palimpsest`;
  };
  const isFirst = "__palimpsest_at 1";
  return [
    "# Completes commands and flags of palimpsest in fish. Written by `palimpsest completions fish`.",
    "function __palimpsest_at",
    "    set -l given (commandline -opc)",
    "    test (count $given) -eq $argv[1]; or return 1",
    "    test (count $argv) -lt 2; or test $given[2] = $argv[2]",
    "end",
    "function __palimpsest_runs",
    "    set -l given (commandline -opc)",
    "    test (count $given) -gt (count $argv); and test (string join ' ' $given[2..(math (count $argv) + 1)]) = (string join ' ' $argv)",
    "end",
    ...[...topics, ["help", "show help"] as const].map((topic) => line(isFirst, topic)),
    ...topics.map((topic) => line("__palimpsest_at 2 help", topic)),
    ...[...verbs].flatMap(([topic, list]) => list.map((verb) => line(`__palimpsest_at 2 ${topic}`, verb))),
    ...(flags.get("chat") ?? []).map((flag) => line(isFirst, flag)),
    ...[...flags].flatMap(([words, list]) => list.map((flag) => line(`__palimpsest_runs ${words}`, flag))),
  ].join("\n");
}

/** Returns a text in single quotes. In all three shells, `'\''` is a single quote within the text. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
