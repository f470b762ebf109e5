// Which search comes next for a question, and what the searches so far have found.
// Invariant: the current question is never counted as found, and a question costs at most a handful of searches.
import { lineFact } from "./core-memory-view.ts";
import { labelsFor } from "./fact-edits.ts";
import { readFacts } from "./facts.ts";
import type { SearchCall } from "./planned-call.ts";
import { type LabelQuestion, type PastQuestion, searchWords } from "./questions.ts";
import { type FoundItem, readFoundPage } from "./search-results.ts";
import { splitSentences } from "./sentences.ts";
import { type DoneCall, hasTool, type Turn } from "./turn.ts";
import { countMentions, flatten } from "./words.ts";

/** Where a search stands: calls to make next, or what was found in all. */
export type SearchState =
  | { readonly kind: "calls"; readonly calls: readonly SearchCall[] }
  | { readonly kind: "done"; readonly items: readonly FoundItem[]; readonly searched: readonly DoneCall[] };

const lastPageLookedAt = 2;
const ownReport =
  /^(?:I searched|I found|Here is what I found|I have no tool|From my core memory|My notes say|I wrote|I saved|I changed|I updated|I removed|Noted)/;

/** The next searches for a question, or their findings. Without search tools nothing is searched. */
export function nextSearch(question: PastQuestion | LabelQuestion, turn: Turn): SearchState {
  const searched: DoneCall[] = [];
  for (const round of roundsFor(question)) {
    const available = round.filter((call) => hasTool(turn, call.name));
    const states = available.map((call) => searchPages(call, question, turn));
    const calls = states.flatMap((state) => state.next ?? []);
    if (calls.length > 0) return { kind: "calls", calls };
    searched.push(...states.flatMap((state) => state.pages));
    const items = states.flatMap((state) => state.items);
    if (items.length > 0) return { kind: "done", items, searched };
  }
  return { kind: "done", items: [], searched };
}

function roundsFor(question: PastQuestion | LabelQuestion): readonly (readonly SearchCall[])[] {
  if (question.kind === "past" && question.days?.kind === "range") {
    return [
      [{ name: "conversation_search_date", input: { start_date: question.days.start, end_date: question.days.end } }],
    ];
  }
  if (question.topic === "") return [];
  const archival = { name: "archival_memory_search", input: { query: question.topic } };
  const recall = { name: "conversation_search", input: { query: question.topic } };
  if (question.kind === "label") return [[archival], [recall]];
  const single = searchWords(question).map((word) => [{ name: "conversation_search", input: { query: word } }]);
  return question.asksWhatWasSaid ? [[archival, recall], ...single] : [[archival], [recall], ...single];
}

interface PagedSearch {
  readonly next: SearchCall | undefined;
  readonly pages: readonly DoneCall[];
  readonly items: readonly FoundItem[];
}

function searchPages(call: SearchCall, question: PastQuestion | LabelQuestion, turn: Turn): PagedSearch {
  const pages: DoneCall[] = [];
  for (let page = 0; page <= lastPageLookedAt; page += 1) {
    const input = page === 0 ? call.input : { ...call.input, page };
    const done = turn.done.find((one) => one.name === call.name && isSameInput(one.input, input));
    if (done === undefined) return { next: { name: call.name, input }, pages, items: [] };
    pages.push(done);
    const found = readFoundPage(done.failed ? "" : done.result);
    const items = found.items.filter((item) => answers(item, question, turn));
    if (items.length > 0 || found.page >= found.last) return { next: undefined, pages, items };
  }
  return { next: undefined, pages, items: [] };
}

function isSameInput(one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): boolean {
  return (
    ["query", "start_date", "end_date"].every((key) => one[key] === other[key]) &&
    (one["page"] ?? 0) === (other["page"] ?? 0)
  );
}

function answers(item: FoundItem, question: PastQuestion | LabelQuestion, turn: Turn): boolean {
  if (item.by !== "memory" && isEcho(item, turn)) return false;
  if (question.kind === "label") return item.by !== "assistant" && statesLabel(item.text, question.labels);
  const isFromSpeaker = item.by === "memory" || question.speaker === "both" || question.speaker === item.by;
  const isOnTopic = question.words.length === 0 || countMentions(item.text, question.words) >= leastMentions(question);
  return isFromSpeaker && isOnTopic;
}

/** One word in two is enough, so that "the name of the boat" finds "the boat is called". */
function leastMentions(question: PastQuestion): number {
  return Math.max(1, Math.ceil(question.words.length / 2));
}

/** The current message itself, an earlier question, or a report of the stand-in's own. */
function isEcho(item: FoundItem, turn: Turn): boolean {
  if (item.by === "assistant") return ownReport.test(item.text);
  const text = item.text.slice(0, 4000);
  const said = flatten(turn.said);
  const flat = flatten(text);
  return (
    flat === said ||
    (flat.length > 200 && said.startsWith(flat.slice(0, 200))) ||
    splitSentences(text).every((sentence) => sentence.asks)
  );
}

function statesLabel(text: string, labels: readonly string[]): boolean {
  const names = labels.flatMap(labelsFor);
  const line = text.replace(/^About the user: /, "").slice(0, 1000);
  const facts = [
    ...lineFact(line),
    ...splitSentences(line)
      .filter(({ asks }) => !asks)
      .flatMap((sentence) => readFacts(sentence.text)),
  ];
  return facts.some((fact) => names.includes(fact.label) && fact.mode !== "drop");
}
