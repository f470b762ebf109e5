// Converts the first and the last day or time of a search.
// Invariant: both ends are included, and each is a day or a minute in the zone of the agent whose texts are searched.
import { endOfDay, startOfDay } from "../../../base/calendar.ts";
import type { UserRuntime } from "../../../runtime/runtime.ts";
import { dayOrMinuteIn } from "../wire-time.ts";
import { given } from "./wire-record.ts";

/** The ends of a search, as `sentDayOrTime` accepts them. */
export interface SentRange {
  readonly start?: string | null | undefined;
  readonly end?: string | null | undefined;
}

/** Returns the ends as searches accept them. Throws the errors of `agents.find`. */
export async function daysOf(
  { agents }: Pick<UserRuntime, "agents">,
  agent: string,
  { start, end }: SentRange,
): Promise<{ readonly start?: string; readonly end?: string }> {
  if (!start && !end) return {};
  const { timeZone } = (await agents.find(agent)).settings;
  return given({ start: start && dayOrMinuteIn(timeZone, start), end: end && dayOrMinuteIn(timeZone, end) });
}

/** Returns a predicate for times between the ends; an end without a zone is read in `timeZone`. */
export function betweenTimes(timeZone: string, { start, end }: SentRange): (at: Date) => boolean {
  const from = start ? startOfDay(dayOrMinuteIn(timeZone, start), timeZone) : undefined;
  const before = end ? endOfDay(dayOrMinuteIn(timeZone, end), timeZone) : undefined;
  return (at) => (from === undefined || at >= from) && (before === undefined || at < before);
}
