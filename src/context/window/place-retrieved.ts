// What was looked up for the input of a turn, as it stands at the end of a request: in a frame, before the state of memory.
// Invariant: pure; it takes only what everything else has left of the archive's share, so that it moves nothing of the prefix;
// no text in it can end its frame, pose as another part of the request, or stand without the line that says what it is.
import { retrievedTag } from "../../base/reserved-tags.ts";
import type { RetrievedPart } from "../../memory/context-report.ts";
import type { Trust } from "../../message/message.ts";
import { recalledNote } from "../../tool/search-results.ts";

/** One thing that was looked up, written as the model is to read it. */
export interface RetrievedItem {
  /** What it was found in. */
  readonly source: string;
  readonly id: string;
  readonly trust: Trust;
  readonly line: string;
}

export interface PlacedRetrieval {
  /** "" when there is nothing. */
  readonly text: string;
  readonly tokens: number;
  readonly parts: readonly RetrievedPart[];
  /** What there was no room for. */
  readonly left: { readonly count: number; readonly tokens: number };
}

/** `items`: best first. `room`: tokens. */
export function placeRetrieved(
  items: readonly RetrievedItem[],
  { room, count }: { readonly room: number; readonly count: (text: string) => number },
): PlacedRetrieval {
  const shown: RetrievedItem[] = [];
  for (const item of items) {
    if (count(frameOf([...shown, item])) <= room) shown.push(item);
  }
  const over = items.filter((item) => !shown.includes(item));
  const text = frameOf(shown);
  return {
    text,
    tokens: count(text),
    parts: shown.map(({ source, id, trust, line }) => ({ source, id, trust, tokens: count(line) })),
    left: { count: over.length, tokens: over.reduce((sum, { line }) => sum + count(line), 0) },
  };
}

const heading = "Looked up in memory for the last message:";

function frameOf(items: readonly RetrievedItem[]): string {
  if (items.length === 0) return "";
  // JSON on one line; with `<` escaped, nothing in it is a tag. The two separators are left by JSON, and break lines for some.
  const json = JSON.stringify(items.map(({ line }) => line))
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
  return `<${retrievedTag}>\n${heading} ${json}\n${recalledNote}\n</${retrievedTag}>`;
}
