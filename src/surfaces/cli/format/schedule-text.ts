// Schedules and their runs, as text.
// Invariant: times are in UTC.
import type { Schedule, ScheduledRun } from "../runtime-records.ts";
import { indent, minute } from "./listing-texts.ts";

/** The id, the times and the next one, then the message. */
export function scheduleText({ id, cron, at, timeZone, isEnabled, nextAt, text }: Schedule): string {
  const times = at === null ? `${cron ?? ""} (${timeZone})` : `once ${minute(at)} UTC`;
  const next = nextAt === null ? (isEnabled ? "done" : "disabled") : `next ${minute(nextAt)} UTC`;
  return `${id}  ${times}  ${next}\n${indent(text)}`;
}

/** `2026-11-23 09:00 UTC  0190…  ended: end-turn  conversation 0190…` */
export function runText({ scheduleId, dueAt, status, outcome, conversationId }: ScheduledRun): string {
  const result = outcome === null ? status : `${status}: ${outcome}`;
  const where = conversationId === null ? "" : `  conversation ${conversationId}`;
  return `${minute(dueAt)} UTC  ${scheduleId}  ${result}${where}`;
}
