// The text that the search tools return, taken apart into items.
// Invariant: text of another form, or cut off in the middle, yields the items that can be read and never throws.

/** One thing found: a message of a side, or a passage of archival memory. */
export interface FoundItem {
  readonly at: string;
  readonly by: "user" | "assistant" | "memory";
  readonly text: string;
}

/** One page of results; `last` is the number of the last page. */
export interface FoundPage {
  readonly items: readonly FoundItem[];
  readonly total: number;
  readonly page: number;
  readonly last: number;
}

const heading = /^Showing (\d+) of (\d+) results? \(page (\d+)\/(\d+)\):/;
const message = /^timestamp: (.{1,80}?)(?:, trust: \w+)?, (user|assistant) ?- ?([\s\S]*)$/;
const passage = /^timestamp: (.{1,80}?)(?:, trust: \w+)?(?:, origin: \w+)?, memory: ?([\s\S]*)$/;

/** Reads a page of results. A text of unknown form counts as a page without items. */
export function readFoundPage(text: string): FoundPage {
  const head = heading.exec(text);
  if (head === null) return { items: [], total: 0, page: 0, last: 0 };
  const items = readStrings(beforeNote(text.slice(head[0].length))).flatMap(readItem);
  return { items, total: Number(head[2]), page: Number(head[3]), last: Number(head[4]) };
}

/** The list alone: what follows on lines after it is about it. */
function beforeNote(text: string): string {
  return text.trimStart().split("\n", 1)[0] ?? "";
}

function readItem(text: string): readonly FoundItem[] {
  const said = message.exec(text);
  if (said !== null) return [{ at: said[1]!, by: said[2] === "user" ? "user" : "assistant", text: said[3]!.trim() }];
  const kept = passage.exec(text);
  return kept === null ? [] : [{ at: kept[1]!, by: "memory", text: kept[2]!.trim() }];
}

function readStrings(list: string): readonly string[] {
  return (parseArray(list) ?? [...list.matchAll(/"(?:[^"\\]|\\.)*"/g)].map((match) => parseString(match[0]))).filter(
    (item) => typeof item === "string",
  );
}

function parseArray(text: string): readonly unknown[] | undefined {
  const parsed = parseJson(text);
  return Array.isArray(parsed) ? parsed : undefined;
}

function parseString(text: string): string {
  const parsed = parseJson(text);
  return typeof parsed === "string" ? parsed : "";
}

/** JSON as a value, or undefined if it is malformed. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
