// Slash commands that show what a command of the command line prints: `/doctor` shows the text of `palimpsest doctor`.
// Invariant: the output is shown unchanged, so that both commands report the same facts.
import { linesPanel } from "../view/notices.ts";
import { type Command, command, refusalOutcome } from "./command.ts";

export const agentsCommand = printed("agents list", { usage: "/agents", summary: "list your agents" });
export const configCommand = printed("config show", { usage: "/config", summary: "show every setting and its origin" });
export const doctorCommand = printed("doctor", { usage: "/doctor", summary: "check the installation" });

function printed(words: string, texts: Pick<Command, "usage" | "summary">): Command {
  return command({
    ...texts,
    async run({ argument, printOf }) {
      if (argument !== "" || printOf === undefined)
        return refusalOutcome(`${texts.usage} takes no argument.`, `\`palimpsest ${words} --help\` shows the flags.`);
      return { items: [linesPanel(await printOf(words))] };
    },
  });
}
