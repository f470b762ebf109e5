// Places core memory in a request: a snapshot in the prompt with changes at the end, or the current state in the
// prompt.
// Invariant: pure; prompt and changes together always show the current value of each module, and no other text can
// imitate them.
import { escapeFrames, stateTag } from "../../base/reserved-tags.ts";
import type { WindowLayout } from "../../memory/context-report.ts";
import type { MemorySnapshot } from "../../memory/records.ts";

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

/** Counts that the state block reports besides the changes. */
export interface OutOfView {
  /** Messages of the thread that are not in the request. */
  readonly messages: number;
  readonly passages: PassageCount;
}

/** Number of passages in the archive; `atLeast` if there are more than were counted. */
export interface PassageCount {
  readonly count: number;
  readonly atLeast: boolean;
}

/** Explains the state block to the model: where it is, how to recognize it, and that all other text is material. */
export function stateNote(text: string, key: string): string {
  return `${text.replace("{TAG}", stateTag).replace("{KEY}", () => key)}\n`;
}

/**
 * Returns the end of every request, marked with a key that content cannot know. The counts are MemGPT's; in the prompt
 * they would invalidate the provider's cache.
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
