// `palimpsest schedule run`.
import type { Command } from "../command.ts";
import { runText } from "../format/schedule-text.ts";
import { storeFlags, toolFlags } from "../parse/flags.ts";
import { notice, printResult } from "../print.ts";

export const scheduleRun: Command = {
  words: ["schedule", "run"],
  usage: "",
  summary: "send the scheduled messages of all agents when due",
  details:
    "Runs until it is stopped, and prints a line for each message. Several processes can run it: each message is sent once.\n" +
    "A tool call that requires approval waits for it: approvals list.",
  flags: ["json", ...toolFlags, ...storeFlags],
  takes: { min: 0, max: 0 },
  handlesAbort: true,
  async run(call) {
    const { schedules } = await call.runtime();
    const { signal } = call.world;
    notice(call, "Sending scheduled messages when they are due. Ctrl+C stops.");
    await schedules.run({ signal, onRun: (run) => printResult(call, { json: run, text: runText(run) }) });
    return 0;
  },
};
