// Where core memory stands in a request: as it was in the prompt, with what has changed since at the end, or as it is.
// Invariant: pure; prompt and changes together always say what each module holds now, and no other text can pose as them.
import type { WindowLayout } from "../memory/context-report.ts";
import type { MemorySnapshot } from "../memory/records.ts";

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
  if (layout === "inline" || snapshot === null) return { prompt: memory.render(), changes: null };
  const changed = memory.modules.filter(({ label, value }) => snapshot.values[label] !== value);
  if (changed.length === 0) return { prompt: snapshot.text, changes: null };
  return { prompt: snapshot.text, changes: memory.render(changed.map(({ label }) => label)) };
}

/** What the end of a request tells besides the changes. */
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

const frame = "current_state";
const frameTags = new RegExp(`<(?=/?${frame}\\b)`, "gi");

/**
 * The end of every request. It is always there, so that a text of somebody else's that looks like it never stands last.
 * The counts are MemGPT's; they stand here because in the prompt they would change what a provider has in its cache.
 */
export function currentState(changes: string | null, { messages, passages }: OutOfView): string {
  const counted = `${passages.atLeast ? "more than " : ""}${passages.count} passage${passages.count === 1 ? "" : "s"}`;
  const lines = [
    ...(changes === null ? [] : [changedText, changes.replace(frameTags, "&lt;")]),
    `Out of view: ${messages} earlier message${messages === 1 ? "" : "s"} in recall memory, ${counted} in archival memory.`,
  ];
  return `<${frame}>\n${lines.join("\n")}\n</${frame}>`;
}

const changedText = "Core memory has changed since it was written above. These sections hold now, in place of those:";
