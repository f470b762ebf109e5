// `/help`, or a single `/`: lists the commands and the keys.
import { keyHelp } from "../keys/keybindings.ts";
import { span } from "../rows/row.ts";
import type { Paragraph } from "../view/view-item.ts";
import type { Command } from "./command.ts";

export const helpCommand: Command = {
  name: "help",
  usage: "/help",
  summary: "show the commands and keys",
  manual: "lists the commands and the keys; so does a single `/`",
  isAlwaysReady: true,
  async run({ commands }) {
    const usages = commands.map(({ usage, summary }) => [usage, summary] as const);
    return {
      items: [
        {
          kind: "panel",
          paragraphs: [
            { indent: 0, spans: [span("Commands", "strong")] },
            ...listed(usages, 24),
            { indent: 0, spans: [span("Keys", "strong")] },
            ...listed(keyHelp, 30),
          ],
        },
      ],
    };
  },
};

function listed(entries: readonly (readonly [string, string])[], width: number): readonly Paragraph[] {
  return entries.map(([name, meaning]) => ({
    indent: 2,
    lead: [span(`${name.padEnd(width - 1)} `)],
    spans: [span(meaning, "faint")],
  }));
}
