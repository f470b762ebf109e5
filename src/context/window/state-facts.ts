// Renders the lines of a state entry that state the time, the messages and passages outside the window, and how full it is.
// Invariant: pure; the only texts by others in these lines are tags of passages, and only tags that are a single word.
import { agoText, formatDay, formatMinute, zoneText } from "../../base/calendar.ts";
import type { SearchableCount, SearchableMemory } from "../../store/port/searchable-memory.ts";

/** The time at which a request is made, for the model. */
export interface RequestTime {
  readonly now: Date;
  readonly timeZone: string;
}

/** Number of messages that searches can find, and the time of the oldest of them; null if there are none. */
export interface SearchableInView {
  readonly count: number;
  readonly firstAt: Date | null;
}

/** The facts of the conversation that an entry may state. */
export interface StateFacts extends RequestTime {
  /** Time of the last message before the running turn; null if it is unknown, `none` in a new conversation. */
  readonly previousAt: Date | "none" | null;
  readonly searchable: SearchableMemory;
  /** The searchable messages in the request. */
  readonly inView: SearchableInView;
  /** Messages of the conversation that are not in the request. */
  readonly leftOut: number;
  /** Share of the window that the request takes, in percent. */
  readonly filled: number;
  /** Whether the window is so full that older messages will leave it soon, though not before this request. */
  readonly isFilling: boolean;
}

const fillingText =
  "Older messages will leave the window before long: save now what is worth keeping and is not saved yet.";

/** Returns the facts as lines; with `warns`, also a warning that older messages will leave the window. */
export function factLines(facts: StateFacts, { warns }: { readonly warns: boolean }): readonly string[] {
  return [
    `Now: ${formatMinute(facts.now, facts.timeZone)} (${zoneText(facts.now, facts.timeZone)})`,
    ...previousLines(facts),
    `Out of view: ${[messagesText(facts), ...passagesTexts(facts)].join("; ")}`,
    `Window: ${facts.filled} % full`,
    ...(warns ? [fillingText] : []),
  ];
}

function previousLines(facts: StateFacts): readonly string[] {
  const { previousAt, searchable } = facts;
  const last = dateOf(searchable.messages.last);
  if (previousAt === null) return [];
  if (previousAt === "none") {
    const which =
      last === null ? "is the first with the user" : `is new, the one before ended ${whenText(last, facts)}`;
    return [`Previous message: none, this conversation ${which}`];
  }
  const elsewhere = last !== null && last > previousAt ? `; in another conversation ${whenText(last, facts)}` : "";
  return [`Previous message: ${whenText(previousAt, facts)}${elsewhere}`];
}

function whenText(at: Date, { now, timeZone }: RequestTime): string {
  return `${formatMinute(at, timeZone)}, ${agoText(now.getTime() - at.getTime())}`;
}

function messagesText({ searchable, inView, leftOut, previousAt, timeZone }: StateFacts): string {
  const { count, isMore, first } = searchable.messages;
  const last = dateOf(searchable.messages.last);
  const hidden = Math.max(0, count - inView.count);
  const newest = [
    previousAt instanceof Date && last !== null && last > previousAt ? last : null,
    leftOut > 0 ? inView.firstAt : null,
    dateOf(searchable.lastBefore),
  ].find((at) => at !== null);
  const days = hidden === 0 ? "" : daysText(dateOf(first), newest ?? last, timeZone);
  const ownBeginning = leftOut > 0 && hidden > 0 ? ", among them the beginning of this conversation" : "";
  return `${countText({ count: hidden, isMore }, "message")}${days}${ownBeginning}`;
}

function passagesTexts({ searchable: { passages, documents, tags }, timeZone }: StateFacts): readonly string[] {
  const { common, total } = tags ?? { common: [], total: 0 };
  const shown = common.filter(({ tag }) => plainTag.test(tag)).map(({ tag, count }) => `${tag} (${count})`);
  const hidden = total === shown.length ? [] : [`${total - shown.length} not shown`];
  const tagged = total === 0 ? "" : `, tags: ${[...shown, ...hidden].join(", ")}`;
  return [
    `${countText(passages, "archive passage")}${daysText(dateOf(passages.first), dateOf(passages.last), timeZone)}${tagged}`,
    ...(documents.count === 0 ? [] : [countText(documents, "document passage")]),
  ];
}

/** The passage tags that an entry may show. Any other tag is not shown, because it could pose as the runtime's text. */
const plainTag = /^[\p{L}\p{N}][\p{L}\p{N}_.:/-]{0,31}$/u;

function countText({ count, isMore }: Pick<SearchableCount, "count" | "isMore">, noun: string): string {
  const number = count === 0 && !isMore ? "no" : `${isMore ? "more than " : ""}${count}`;
  return `${number} ${noun}${count === 1 && !isMore ? "" : "s"}`;
}

/** Returns the first and the last day in parentheses, or one day if both are the same; "" for no days. */
function daysText(first: Date | null, last: Date | null, timeZone: string): string {
  if (first === null || last === null) return "";
  const [from, to] = [formatDay(first, timeZone), formatDay(last, timeZone)];
  return from === to ? ` (${from})` : ` (${from} to ${to})`;
}

function dateOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
