// `palimpsest completions`: the Tab key in the shells themselves.
import { openChatTerminal } from "./chat-terminal.ts";

const shells = [
  ["bash", "bash --norc", "source ./completions"],
  ["zsh", "zsh -f", "autoload -U compinit && compinit -u && source ./completions"],
  ["fish", "fish --no-config", "source ./completions"],
] as const;

test.each(shells)("%s completes topics, verbs and flags", async (shell, start, load) => {
  const terminal = await openChatTerminal();
  const complete = async (typed: string, expected: string): Promise<void> => {
    await terminal.type(typed);
    await terminal.press("Tab");
    await terminal.until(expected);
  };
  try {
    await terminal.run(`palimpsest completions ${shell} > completions && echo written`);
    await terminal.until("written");
    await terminal.run(start);
    await terminal.untilQuiet();
    await terminal.say(load);
    await terminal.untilQuiet();
    await complete("palimpsest mem", "palimpsest memory");
    await complete("hist", "palimpsest memory history");
    await complete("--js", "palimpsest memory history --json");
    await terminal.press("C-u");
    await complete("palimpsest help arch", "palimpsest help archival");
    await terminal.press("C-u");
    await complete("palimpsest --output-f", "palimpsest --output-format");
  } finally {
    await terminal.close();
  }
});

test("another shell is refused with the ones that there are", async () => {
  const terminal = await openChatTerminal();
  try {
    await terminal.run("palimpsest completions zhs");
    await terminal.until('no script for the shell "zhs". Did you mean "zsh"?');
  } finally {
    await terminal.close();
  }
});
