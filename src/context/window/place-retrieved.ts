// Renders the items retrieved for a turn's input, in their own tag at the end of a request, before the state of memory.
// Invariant: pure; it uses only the rest of the archive tier's share, so the cached prefix is unchanged; no text in it
// can close its tag, imitate another part of the request, or appear without the heading that explains it.
import { retrievedTag } from "../../base/reserved-tags.ts";
import type { RetrievedPart } from "../../store/port/context-report.ts";
import type { Trust } from "../../base/message/message.ts";
import { recalledNote } from "../../tool/search-results.ts";

/** A retrieved item, rendered for the model. */
export interface RetrievedItem {
  /** The memory that it was found in. */
  readonly source: string;
  readonly id: string;
  readonly trust: Trust;
  readonly line: string;
}

export interface PlacedRetrieval {
  /** "" if there is nothing. */
  readonly text: string;
  readonly tokens: number;
  readonly parts: readonly RetrievedPart[];
  /** Items that did not fit. */
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

const lookupHeading = "Looked up in memory for the last message:";

function frameOf(items: readonly RetrievedItem[]): string {
  if (items.length === 0) return "";
  return retrievedFrame(
    lookupHeading,
    items.map(({ line }) => line),
    recalledNote,
  );
}

/** Returns texts in the tag of what was looked up, between a heading and a note. */
export function retrievedFrame(heading: string, texts: readonly string[], note: string): string {
  // JSON on one line; with `<` escaped, it contains no tag. JSON does not escape the two separators, at which some
  // readers break lines.
  const json = JSON.stringify(texts)
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
  return `<${retrievedTag}>\n${heading} ${json}\n${note}\n</${retrievedTag}>`;
}
