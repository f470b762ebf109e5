// The facts that a request states besides the history: core memory in the prompt, and in the state block at its end the
// changes since, the time, and what is out of view.
// Invariant: pure; prompt and changes together always show the current value of each module, and no other text can
// imitate them; what differs between two requests is in the state block only.
import { agoText, formatDay, formatMinute, zoneText } from "../../base/calendar.ts";
import { escapeFrames, stateTag } from "../../base/reserved-tags.ts";
import type { WindowLayout } from "../../memory/context-report.ts";
import type { MemorySnapshot, SearchableCount, SearchableMemory, StoredMessage } from "../../memory/records.ts";

export interface CoreMemoryView {
  /** Core memory for the system prompt. */
  readonly prompt: string;
  /** The modules that changed since the snapshot, rendered; null if there are none. */
  readonly changes: string | null;
}

/** The methods of a BaseMemory that are used here. */
export interface RenderedMemory {
  readonly modules: readonly { readonly label: string; readonly value: string }[];
  render(labels?: readonly string[]): string;
}

export function viewCoreMemory(
  memory: RenderedMemory,
  snapshot: MemorySnapshot | null,
  layout: WindowLayout,
): CoreMemoryView {
  // A memory class may have its own rendering: its text cannot open or close the runtime's tags either.
  const render = (labels?: readonly string[]): string => escapeFrames(memory.render(labels));
  if (layout === "inline" || snapshot === null) return { prompt: render(), changes: null };
  const prompt = escapeFrames(snapshot.text);
  const changed = memory.modules.filter(({ label, value }) => snapshot.values[label] !== value);
  if (changed.length === 0) return { prompt, changes: null };
  return { prompt, changes: render(changed.map(({ label }) => label)) };
}

/** Whether a search can find the message: text that a person or the model wrote to the other. */
export function isSearchable({ role, kind, text }: Pick<StoredMessage, "role" | "kind" | "text">): boolean {
  return kind === "message" && role !== "tool" && text.trim() !== "";
}

/** How many messages searches can find, and when the first of them came; null for none. */
export interface SearchableInView {
  readonly count: number;
  readonly firstAt: Date | null;
}

/** Explains the state block to the model: where it is, how to recognize it, and that all other text is material. */
export function stateNote(text: string, key: string): string {
  return `${text.replace("{TAG}", stateTag).replace("{KEY}", () => key)}\n`;
}

/** The time at which a request is made, for the model. */
export interface RequestTime {
  readonly now: Date;
  readonly timeZone: string;
}

/** The facts of a state block. */
export interface StateFacts extends RequestTime {
  /** The modules that changed since the snapshot, rendered; null if there are none. */
  readonly changes: string | null;
  /** When the last message before the running turn came; null if it is unknown, `none` in a new conversation. */
  readonly previousAt: Date | "none" | null;
  readonly searchable: SearchableMemory;
  /** The messages in the request. */
  readonly inView: SearchableInView;
  /** Messages of the conversation that are not in the request. */
  readonly leftOut: number;
  /** Share of the window that the request takes, in percent. */
  readonly filled: number;
}

/** The setting `stateBlock`: whether a state block has only the changes of core memory. */
export type StateBlockContent = "full" | "changes";

/** Returns the end of a request, marked with a key that content cannot know; "" if there is nothing to state. */
export function stateBlock(key: string, { changes, ...facts }: StateFacts, content: StateBlockContent): string {
  const lines = [...(changes === null ? [] : [changedText, changes]), ...(content === "full" ? factLines(facts) : [])];
  return lines.length === 0 ? "" : `<${stateTag} key="${key}">\n${lines.join("\n")}\n</${stateTag}>`;
}

type Facts = Omit<StateFacts, "changes">;

function factLines(facts: Facts): readonly string[] {
  return [
    `Now: ${formatMinute(facts.now, facts.timeZone)} (${zoneText(facts.now, facts.timeZone)})`,
    ...previousLines(facts),
    `Out of view: ${[messagesText(facts), ...passagesTexts(facts)].join("; ")}`,
    `Window: ${facts.filled} % full`,
  ];
}

function previousLines(facts: Facts): readonly string[] {
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

function messagesText({ searchable, inView, leftOut, previousAt, timeZone }: Facts): string {
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

function passagesTexts({ searchable: { passages, documents, tags }, timeZone }: Facts): readonly string[] {
  const shown = (tags ?? []).filter(({ tag }) => plainTag.test(tag)).map(({ tag, count }) => `${tag} (${count})`);
  const tagged = shown.length === 0 ? "" : `, tags: ${shown.join(", ")}`;
  return [
    `${countText(passages, "archive passage")}${daysText(dateOf(passages.first), dateOf(passages.last), timeZone)}${tagged}`,
    ...(documents.count === 0 ? [] : [countText(documents, "document passage")]),
  ];
}

/** Other tags are not shown: in the state block a sentence could pose as the runtime's. */
const plainTag = /^[\p{L}\p{N}][\p{L}\p{N}_.:/-]{0,31}$/u;

function countText({ count, isMore }: Pick<SearchableCount, "count" | "isMore">, noun: string): string {
  const number = count === 0 && !isMore ? "no" : `${isMore ? "more than " : ""}${count}`;
  return `${number} ${noun}${count === 1 && !isMore ? "" : "s"}`;
}

/** Returns the days in parentheses, one if they are the same; "" for none. */
function daysText(first: Date | null, last: Date | null, timeZone: string): string {
  if (first === null || last === null) return "";
  const [from, to] = [formatDay(first, timeZone), formatDay(last, timeZone)];
  return from === to ? ` (${from})` : ` (${from} to ${to})`;
}

function dateOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

const changedText = "Core memory has changed since it was written above. These sections replace the ones above:";
