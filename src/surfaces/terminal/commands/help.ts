// `/help`, or a single `/`: shows the commands and the keys, one page for each topic.
import { largest } from "../../../base/lists.ts";
import { type Tab, tabs } from "../dialogs/tabs.ts";
import { keyHelp } from "../keys/keybindings.ts";
import { type Row, span } from "../rows/row.ts";
import { wrapText } from "../rows/wrap.ts";
import type { Command } from "./command.ts";

export const helpCommand: Command = {
  name: "help",
  usage: "/help",
  summary: "show the commands and keys",
  manual: "shows the commands and the keys; so does a single `/`",
  isAlwaysReady: true,
  async run({ topics, open }) {
    const pages = topics.map(({ title, commands }): Tab => {
      const entries = commands.map(({ usage, summary }) => [usage, summary] as const);
      return { title, rows: (width) => listed(entries, width) };
    });
    await open(tabs([...pages, { title: "Keys", rows: (width) => listed(keyHelp, width) }]));
    return { items: [] };
  },
};

function listed(entries: readonly (readonly [string, string])[], width: number): readonly Row[] {
  const widest = largest(entries.map(([name]) => name.length));
  return entries.flatMap(([name, meaning]) =>
    wrapText(meaning, "faint", { width, lead: [span(`  ${name.padEnd(Math.min(widest, Math.floor(width / 2)))}  `)] }),
  );
}
