// `palimpsest schedule list`.
import type { Command } from "../command.ts";
import { scheduleText } from "../format/schedule-text.ts";
import { storeFlags } from "../parse/flags.ts";
import { printResult } from "../print.ts";

export const scheduleList: Command = {
  words: ["schedule", "list"],
  usage: "",
  summary: "list the agent's scheduled messages",
  flags: ["agent", "json", ...storeFlags],
  takes: { min: 0, max: 0 },
  async run(call) {
    const schedules = await (await call.runtime()).schedules.list(call.agent);
    printResult(call, {
      json: schedules,
      text: schedules.length === 0 ? "No messages are scheduled." : schedules.map(scheduleText).join("\n"),
    });
    return 0;
  },
};
