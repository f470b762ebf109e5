// `palimpsest schedule add`.
import { ConfigError } from "../../../base/errors.ts";
import type { Command, CommandCall } from "../command.ts";
import { scheduleText } from "../format/schedule-text.ts";
import { choiceFlag } from "../parse/choice-flag.ts";
import { storeFlags } from "../parse/flags.ts";
import { filledTextAt } from "../parse/word-argument.ts";
import { notice, printResult } from "../print.ts";
import type { Schedule } from "../runtime-records.ts";
import { acceptedTimes, isAcceptedTime } from "../../../base/calendar.ts";

/** A process that fires schedules looks at least every ten seconds. */
const idleMs = 60_000;

export const scheduleAdd: Command = {
  words: ["schedule", "add"],
  usage: "TEXT --cron EXPRESSION | --once TIME",
  summary: "send a message to the agent at set times",
  details:
    'TEXT is the message; - reads it from standard input. --cron takes five fields: "0 9 * * 1-5" is 9:00 on weekdays, in the\n' +
    "agent's time zone or that of --time-zone. --once takes a time such as 2026-12-24T18:00Z.\n" +
    "Messages are sent by `palimpsest schedule run`, or by a program that calls runtime.schedules.run().",
  flags: ["agent", "cron", "once", "new", "on-busy", "on-missed", "quiet-hours", "on-quiet", "json", ...storeFlags],
  takes: { min: 1, max: 1 },
  async run(call) {
    const { line } = call;
    const { cron, "quiet-hours": quietHours, "time-zone": timeZone } = line.texts;
    const at = onceFlag(line.texts.once);
    const text = await filledTextAt(call, 0);
    const options = {
      cron,
      at,
      quietHours,
      timeZone,
      conversation: line.switches.has("new") ? ("new" as const) : undefined,
      onBusy: choiceFlag(line, "on-busy", ["wait", "skip"]),
      onMissed: choiceFlag(line, "on-missed", ["run", "skip"]),
      onQuiet: choiceFlag(line, "on-quiet", ["delay", "skip"]),
    };
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
    const { schedules } = await call.runtime();
    const schedule = await schedules.create(call.agent, { text, ...given });
    printResult(call, { json: schedule, text: scheduleText(schedule) });
    warnIfIdle(call, await schedules.lastPolledAt(), schedule);
    return 0;
  },
};

function onceFlag(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const at = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})$/u.test(text) ? new Date(text) : null;
  if (at !== null && isAcceptedTime(at)) return at;
  throw new ConfigError(
    `--once: expected ${acceptedTimes} with its zone, such as 2026-12-24T18:00Z or 2026-12-24T18:00+01:00, got "${text}".`,
  );
}

function warnIfIdle(call: CommandCall, polledAt: Date | null, { createdAt }: Schedule): void {
  if (polledAt !== null && createdAt.getTime() - polledAt.getTime() < idleMs) return;
  notice(call, "No process is sending scheduled messages at present: start `palimpsest schedule run`.");
}
