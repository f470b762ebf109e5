// The facts that a request states besides the history: core memory in the prompt, and in the state block at its end the
// changes since, the time, and what is out of view.
// Invariant: pure; prompt and changes together always show the current value of each module, and no other text can
// imitate them; what differs between two requests is in the state block only.
import { agoText, formatMinute, zoneText } from "../../base/calendar.ts";
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
  readonly outOfView: OutOfView;
}

/** Returns the end of every request, marked with a key that content cannot know. */
export function stateBlock(key: string, { changes, outOfView, ...times }: StateFacts): string {
  const { messages, passages } = outOfView;
  const counted = `${passages.atLeast ? "more than " : ""}${passages.count} passage${passages.count === 1 ? "" : "s"}`;
  const lines = [
    ...(changes === null ? [] : [changedText, changes]),
    ...timeLines(times),
    `Out of view: ${messages} earlier message${messages === 1 ? "" : "s"} in recall memory, ${counted} in archival memory.`,
  ];
  return `<${stateTag} key="${key}">\n${lines.join("\n")}\n</${stateTag}>`;
}

function timeLines({ now, timeZone, previousAt }: Omit<StateFacts, "changes" | "outOfView">): readonly string[] {
  const present = `Now: ${formatMinute(now, timeZone)} (${zoneText(now, timeZone)})`;
  if (previousAt === null) return [present];
  if (previousAt === "none") return [present, "Previous message: none, this conversation is new"];
  const ago = agoText(now.getTime() - previousAt.getTime());
  return [present, `Previous message: ${formatMinute(previousAt, timeZone)}, ${ago}`];
}

const changedText = "Core memory has changed since it was written above. These sections hold now, in place of those:";
