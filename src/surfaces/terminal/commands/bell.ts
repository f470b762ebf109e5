// `/bell [on | off]`: turns the bell at the end of a turn on or off.
import { type Command, noteOutcome, refusalOutcome } from "./command.ts";

export const bellCommand: Command = {
  name: "bell",
  usage: "/bell [on | off]",
  summary: "ring when a turn ends or waits for you",
  manual:
    "rings the terminal's bell when a turn ends or waits for your approval, until you leave; without a word, `on`",
  isAlwaysReady: true,
  async run({ argument }) {
    const word = argument === "" ? "on" : argument.toLowerCase();
    if (word !== "on" && word !== "off") {
      return refusalOutcome(`Expected on or off, got "${argument.slice(0, 40)}".`, "/bell on");
    }
    return {
      ...noteOutcome(
        word === "on" ? "The bell rings when a turn ends or waits for your approval." : "The bell is off.",
        `To keep it: "bell": "${word}" in the configuration file, or PALIMPSEST_BELL=${word}.`,
      ),
      effect: { type: "bell", isOn: word === "on" },
    };
  },
};
