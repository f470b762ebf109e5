// `palimpsest schedule`: messages that are sent to an agent at set times.
// Invariant: times are shown in UTC.
import { type CommandCall, commandTable } from "../command.ts";
import { indent, minute } from "../format/listing-texts.ts";
import { flagOptions, momentOf, pairOptions } from "../parse/contract-options.ts";
import { limitFlag } from "../parse/flag-values.ts";
import { given } from "../../../base/given.ts";
import { toolFlags } from "../parse/flags.ts";
import { filledTextOf } from "../parse/read-text.ts";
import { notice, printResult } from "../print.ts";
import type { Schedule, ScheduledRun } from "../runtime-records.ts";

/**
 * Milliseconds without a poll after which a notice says that no scheduler runs; a running scheduler polls at least every 10 s.
 */
const idleMs = 60_000;

async function optionsOfChange() {
  return (await import("../../../runtime/contracts.ts")).contracts.schedules.update.args[1];
}

export const commands = commandTable({
  "schedule add": {
    usage: "TEXT --cron EXPRESSION | --once TIME",
    summary: "send a message to the agent at set times",
    details:
      'TEXT is the message; - reads it from standard input. --cron takes five fields: "0 9 * * 1-5" is 9:00 on weekdays, in the\n' +
      "agent's time zone or that of --time-zone. --once takes a time such as 2026-12-24T18:00Z.\n" +
      "If TEXT is /consolidate, memory is tidied and no message is sent (docs/consolidation.md).\n" +
      "Messages are sent by `palimpsest schedule run`, or by a program that calls runtime.schedules.run().",
    flags: ["agent", "cron", "once", "new", "on-busy", "on-missed", "quiet-hours", "on-quiet", "json"],
    async run(call, word) {
      const { line, world } = call;
      const { once } = line.texts;
      const at = once === undefined ? undefined : momentOf(once, "--once");
      const conversation = line.switches.has("new") ? ("new" as const) : undefined;
      const options = { ...flagOptions(line, await optionsOfChange()), ...given({ at, conversation }) };
      const text = await filledTextOf(word, world);
      const { schedules } = await call.runtime();
      const schedule = await schedules.create(call.agent, { text, ...options });
      printResult(call, { json: schedule, text: scheduleText(schedule) });
      warnIfIdle(call, await schedules.lastPolledAt(), schedule);
      return 0;
    },
  },
  "schedule list": {
    summary: "list the agent's scheduled messages",
    flags: ["agent", "json"],
    async run(call) {
      const schedules = await (await call.runtime()).schedules.list(call.agent);
      const text = schedules.length === 0 ? "No messages are scheduled." : schedules.map(scheduleText).join("\n");
      return { json: schedules, text };
    },
  },
  "schedule set": {
    usage: "ID KEY VALUE [KEY VALUE ...]",
    summary: "change a scheduled message",
    details: "Setting cron removes at, and setting at removes cron.",
    flags: ["json"],
    takes: { min: 3, max: 100 },
    pairs: optionsOfChange,
    async run(call, id) {
      const change = pairOptions(call.words.slice(1), await optionsOfChange());
      const schedule = await (await call.runtime()).schedules.update(id, change);
      return { json: schedule, text: scheduleText(schedule) };
    },
  },
  "schedule history": {
    usage: "ID",
    summary: "list what became of a scheduled message, newest first",
    flags: ["limit", "json"],
    async run(call, id) {
      const runs = await (await call.runtime()).schedules.runs(id, limitFlag(call.line));
      return { json: runs, text: runs.length === 0 ? "No message was sent yet." : runs.map(runText).join("\n") };
    },
  },
  "schedule remove": {
    usage: "ID",
    summary: "delete a scheduled message",
    flags: ["json"],
    async run(call, id) {
      await (await call.runtime()).schedules.delete(id);
      return { json: { removed: id }, text: `Deleted the schedule ${id}.` };
    },
  },
  "schedule run": {
    summary: "send the scheduled messages of all agents when due",
    details:
      "Runs until it is stopped, and prints a line for each message. Several processes can run it: each message is sent once.\n" +
      "A tool call that requires approval waits for it: approvals list.",
    flags: ["json", ...toolFlags],
    handlesAbort: true,
    async run(call) {
      const { schedules } = await call.runtime();
      const { signal } = call.world;
      notice(call, "Sending scheduled messages when they are due. Ctrl+C stops.");
      await schedules.run({ signal, onRun: (run) => printResult(call, { json: run, text: runText(run) }) });
      return 0;
    },
  },
});

function warnIfIdle(call: CommandCall, polledAt: Date | null, { createdAt }: Schedule): void {
  if (polledAt !== null && createdAt.getTime() - polledAt.getTime() < idleMs) return;
  notice(call, "No process is sending scheduled messages at present: start `palimpsest schedule run`.");
}

/** Returns a schedule as text: its id, its times and the next time, then the message. */
function scheduleText({ id, cron, at, timeZone, isEnabled, nextAt, text }: Schedule): string {
  const times = at === null ? `${cron ?? ""} (${timeZone})` : `once ${minute(at)} UTC`;
  const next = nextAt === null ? (isEnabled ? "done" : "disabled") : `next ${minute(nextAt)} UTC`;
  return `${id}  ${times}  ${next}\n${indent(text)}`;
}

/** Returns `2026-11-23 09:00 UTC  0190…  ended: end-turn  conversation 0190…` */
function runText({ scheduleId, dueAt, status, outcome, conversationId }: ScheduledRun): string {
  const result = outcome === null ? status : `${status}: ${outcome}`;
  const where = conversationId === null ? "" : `  conversation ${conversationId}`;
  return `${minute(dueAt)} UTC  ${scheduleId}  ${result}${where}`;
}
