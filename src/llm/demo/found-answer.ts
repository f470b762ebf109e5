// The answer to a question once its searches are done: what was found, quoted, or that nothing was.
// Invariant: only text that a search returned is quoted, with its time and its side.
import type { LabelQuestion, PastQuestion } from "./questions.ts";
import { clip, quote } from "./quote.ts";
import { type FoundItem, readFoundPage } from "./search-results.ts";
import type { DoneCall } from "./turn.ts";
import { countMentions, flatten } from "./words.ts";

const mostQuotes = 5;

/** Says what was found. */
export function answerFound(
  question: PastQuestion | LabelQuestion,
  found: readonly FoundItem[],
  searched: readonly DoneCall[],
): string {
  const words = question.kind === "past" ? question.words : [];
  const ranked = withoutRepeats(
    [...found].sort((one, other) => countMentions(other.text, words) - countMentions(one.text, words)),
  );
  const opening =
    question.kind === "label" ? "My core memory does not hold that, but here is what I found" : "Here is what I found";
  const lines = ranked.slice(0, mostQuotes).map((item) => `- ${sourceOf(item)}: ${quote(item.text)}`);
  const more =
    ranked.length > mostQuotes
      ? [`… and ${ranked.length - mostQuotes} more.`]
      : question.kind === "label"
        ? []
        : searched.flatMap(unreadOf);
  return [`${opening}:`, ...lines, ...more].join("\n");
}

/** Says that nothing was found, where was searched, and which search failed. */
export function answerNothing(question: PastQuestion | LabelQuestion, searched: readonly DoneCall[]): string {
  const failures = searched.filter((call) => call.failed).map((call) => `${call.name} failed: ${clip(call.result)}`);
  if (searched.length === 0) return "My core memory does not hold that, and I have no tool to search for it.";
  const places = [...new Set(searched.filter((call) => !call.failed).map(placeOf))];
  const about = question.topic === "" ? "" : ` about ${quote(question.topic)}`;
  const nothing = places.length === 0 ? [] : [`I searched ${places.join(" and ")} and found nothing${about}.`];
  return [...nothing, ...failures].join(" ");
}

/** What a search has beyond the pages that were read. */
function unreadOf(call: DoneCall): readonly string[] {
  const page = readFoundPage(call.failed ? "" : call.result);
  return page.page < page.last
    ? [`(From page ${page.page + 1} of ${page.last + 1}: ${call.name} has ${page.total} results.)`]
    : [];
}

function sourceOf(item: FoundItem): string {
  const day = timeOf(item.at);
  if (item.by === "memory") return `archival memory (${day})`;
  return item.by === "user" ? `${day}, you said` : `${day}, I said`;
}

function placeOf(call: DoneCall): string {
  if (call.name === "archival_memory_search") return "my archival memory";
  if (call.name === "conversation_search") return "our conversation history";
  const { start_date: start, end_date: end } = call.input;
  return `our conversation history of ${String(start)}${start === end ? "" : ` to ${String(end)}`}`;
}

function withoutRepeats(items: readonly FoundItem[]): readonly FoundItem[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const key = flatten(item.text.slice(0, 2000)) || item.text;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** A timestamp down to the minute, its half of the day included. */
function timeOf(at: string): string {
  const match = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2})(?::\d{2})?( [AP]M)?/.exec(at);
  return match === null ? clip(at) : `${match[1]!} ${match[2]!}${match[3] ?? ""}`;
}
