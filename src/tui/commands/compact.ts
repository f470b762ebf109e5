// `/compact`: summarizes the older messages of the window now.
import { compactionItem } from "../compaction-item.ts";
import type { Command } from "./command.ts";

export const compactCommand: Command = {
  name: "compact",
  usage: "/compact",
  summary: "summarize older messages now",
  isAlwaysReady: false,
  run: async ({ agent, signal }) => ({ items: [compactionItem(await agent.compact({ signal }))] }),
};
