// Where core memory stands in a request: as it was in the prompt, with what has changed since at the end, or as it is.
// Invariant: pure; prompt and changes together always say what each module holds now, and no other text can pose as them.
import { escapeFrames, stateTag } from "../../base/reserved-tags.ts";
import type { WindowLayout } from "../../memory/context-report.ts";
import type { MemorySnapshot } from "../../memory/records.ts";

export interface CoreMemoryView {
  /** For the system prompt. */
  readonly prompt: string;
  /** The modules that hold something else now, rendered; null when there are none. */
  readonly changes: string | null;
}

/** What a memory is here: a BaseMemory, of whatever class. */
export interface RenderedMemory {
  readonly modules: readonly { readonly label: string; readonly value: string }[];
  render(labels?: readonly string[]): string;
}

export function viewCoreMemory(
  memory: RenderedMemory,
  snapshot: MemorySnapshot | null,
  layout: WindowLayout,
): CoreMemoryView {
  // A memory class may render in its own way: its text cannot open or close the runtime's frames either.
  const render = (labels?: readonly string[]): string => escapeFrames(memory.render(labels));
  if (layout === "inline" || snapshot === null) return { prompt: render(), changes: null };
  const prompt = escapeFrames(snapshot.text);
  const changed = memory.modules.filter(({ label, value }) => snapshot.values[label] !== value);
  if (changed.length === 0) return { prompt, changes: null };
  return { prompt, changes: render(changed.map(({ label }) => label)) };
}

/** What the state block reports besides the changes. */
export interface OutOfView {
  /** Messages of the thread that the model is not sent. */
  readonly messages: number;
  readonly passages: PassageCount;
}

/** Passages of the archive; `atLeast` when there are more than were counted. */
export interface PassageCount {
  readonly count: number;
  readonly atLeast: boolean;
}

/** Explains the state block to the model: where it is, how to recognize it, and that all other text is material. */
export function stateNote(text: string, key: string): string {
  return `${text.replace("{TAG}", stateTag).replace("{KEY}", () => key)}\n`;
}

/**
 * The end of every request, marked with a key that no content knows. The counts are MemGPT's; in the prompt they would change
 * what a provider has in its cache.
 */
export function stateBlock(key: string, changes: string | null, { messages, passages }: OutOfView): string {
  const counted = `${passages.atLeast ? "more than " : ""}${passages.count} passage${passages.count === 1 ? "" : "s"}`;
  const lines = [
    ...(changes === null ? [] : [changedText, changes]),
    `Out of view: ${messages} earlier message${messages === 1 ? "" : "s"} in recall memory, ${counted} in archival memory.`,
  ];
  return `<${stateTag} key="${key}">\n${lines.join("\n")}\n</${stateTag}>`;
}

const changedText = "Core memory has changed since it was written above. These sections hold now, in place of those:";
