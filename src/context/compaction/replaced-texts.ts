// Finds in messages what a summary must not get wrong: texts that edits of core memory replaced (both are in the
// messages, and one of them holds), and words that cannot be put into other words, such as numbers, dates, codes,
// addresses and names of files.
// Invariant: pure; only successful calls count; a text that was removed is not replaced, since it may hold elsewhere.
import type { ContentPart, ToolCallPart } from "../../base/message/message.ts";

export interface ReplacedText {
  readonly before: string;
  readonly after: string;
}

/** The tools that replace a text, with their arguments. */
const fields: ReadonlyMap<string, readonly [before: string, after: string]> = new Map([
  ["core_memory_replace", ["old_content", "new_content"]],
  ["memory_replace", ["old_string", "new_string"]],
]);

/** Returns what was replaced in these messages, oldest first. */
export function replacedTexts(
  messages: readonly { readonly content: readonly ContentPart[] }[],
): readonly ReplacedText[] {
  const calls = new Map<string, ToolCallPart>();
  const replaced: ReplacedText[] = [];
  for (const part of messages.flatMap(({ content }) => content)) {
    if (part.type === "tool-call") calls.set(part.callId, part);
    const call = part.type === "tool-result" && part.status === "ok" ? calls.get(part.callId) : undefined;
    const texts = call === undefined ? null : textsOf(call);
    if (texts !== null) replaced.push(texts);
  }
  return replaced;
}

function textsOf({ name, arguments: json }: ToolCallPart): ReplacedText | null {
  const names = fields.get(name);
  if (names === undefined) return null;
  // The tool has read them: its call succeeded.
  const given = JSON.parse(json) as Readonly<Record<string, unknown>>;
  const [before, after] = names.map((field) => given[field]);
  return typeof before === "string" && typeof after === "string" && after.trim() !== "" ? { before, after } : null;
}

/** Returns the identifiers that only replaced texts have. */
export function outdatedIdentifiers(replaced: readonly ReplacedText[]): ReadonlySet<string> {
  const outdated = new Set<string>();
  for (const { before, after } of replaced) {
    for (const found of identifiersIn(before)) outdated.add(found);
    for (const found of identifiersIn(after)) outdated.delete(found);
  }
  return outdated;
}

/** Code points of a word, and words: the last ones, which are of the newest messages. */
const maxLength = 64;
const maxCount = 150;

const hasDigit = /\p{N}/u;
const joined = /[\p{L}\p{N}][.@_/][\p{L}\p{N}]/u;
const edges = /^[^\p{L}\p{N}+#@$€£]+|[^\p{L}\p{N}%]+$/gu;

/** Returns each once, in the order of the text. Single digits are left out. */
export function identifiersIn(text: string): readonly string[] {
  const words = text.split(/[\s"'`“”„«»()[\]{}<>|;]+/u).map((word) => word.replaceAll(edges, ""));
  const found = words.filter(
    (word) => word.length > 1 && word.length <= maxLength && (hasDigit.test(word) || joined.test(word)),
  );
  return [...new Set(found)].slice(-maxCount);
}
