// Removes forgotten content from a message's parts.
// Invariant: the calls and results of a message stay, with their ids and names, so that every call still has its result;
// JSON stays JSON. Any change of a message drops its thoughts, as the thoughts were made from the same content, and a
// provider refuses a changed thought.
import { parseStructure } from "../json-values.ts";
import { forgottenMark, type Redactor } from "../redactor.ts";
import type { FilePart } from "./file-part.ts";
import type { ContentPart, TextPart, ToolResultPart } from "./message.ts";

const mark = { type: "text", text: forgottenMark } as const;

/** The name of the agent's tool that requests a forgetting. */
export const forgetToolName = "forget";

/** Returns the JSON arguments that replace forgotten ones. Those of `forget` stay valid, because its call may run again. */
export function emptiedArguments(toolName: string): string {
  return toolName === forgetToolName ? JSON.stringify({ texts: [forgottenMark] }) : "{}";
}

/** Returns the content without forgotten texts and without the files of these attachments; null if it contains neither. */
export function redactContent(
  content: readonly ContentPart[],
  redactor: Redactor,
  attachments: ReadonlySet<string>,
): readonly ContentPart[] | null {
  const redacted = content.map((part) => redactPart(part, redactor, attachments));
  if (redacted.every((part, at) => part === content[at])) return null;
  return withoutThoughts(redacted);
}

/** Returns what is left of a completely forgotten message: its calls and results without texts, or only `[forgotten]`. */
export function emptiedContent(content: readonly ContentPart[]): readonly ContentPart[] {
  const kept = content.flatMap((part): readonly ContentPart[] => {
    if (part.type === "tool-call") return [{ ...part, arguments: emptiedArguments(part.name) }];
    if (part.type !== "tool-result") return [];
    const { files: _files, printed: _printed, ...result } = part;
    return [{ ...result, text: forgottenMark }];
  });
  return kept.length === 0 ? [mark] : kept;
}

function withoutThoughts(content: readonly ContentPart[]): readonly ContentPart[] {
  const kept = content.filter(({ type }) => type !== "thought");
  return kept.length === 0 ? [mark] : kept;
}

function redactPart(part: ContentPart, redactor: Redactor, attachments: ReadonlySet<string>): ContentPart {
  switch (part.type) {
    case "text":
    case "thought":
    case "state":
      return changed(part, { text: redactor.redact(part.text) });
    case "tool-call":
      return changed(part, { arguments: redactJsonText(part.arguments, redactor) });
    case "file":
      return redactFile(part, redactor, attachments);
    case "tool-result":
      return redactResult(part, redactor, attachments);
  }
}

function redactFile(file: FilePart, redactor: Redactor, attachments: ReadonlySet<string>): FilePart | TextPart {
  const { location } = file;
  const isRemoved = location.type === "attachment" ? attachments.has(location.id) : redactor.has(location.url);
  return isRemoved ? mark : changed(file, { name: redactor.redact(file.name) });
}

/** Returns the result without forgotten texts and without the files of these attachments. */
function redactResult(part: ToolResultPart, redactor: Redactor, attachments: ReadonlySet<string>): ToolResultPart {
  const { files, printed } = part;
  // If one of the printed outputs contains a forgotten text, both are removed.
  if (printed !== undefined && (redactor.has(printed.stdout) || redactor.has(printed.stderr))) {
    const { printed: _removed, ...rest } = part;
    return redactResult(rest, redactor, attachments);
  }
  const text = redactor.redact(part.text);
  if (files === undefined) return changed(part, { text });
  const kept = files.filter((file) => redactFile(file, redactor, attachments) === file);
  return kept.length === files.length ? changed(part, { text }) : { ...part, text, files: kept };
}

function changed<Part extends ContentPart>(part: Part, change: Partial<Part>): Part {
  const isSame = Object.entries(change).every(([key, value]) => part[key as keyof Part] === value);
  return isSame ? part : { ...part, ...change };
}

/** Returns a text without forgotten texts; the same string if it has none. A JSON object or list stays JSON. */
export function redactJsonText(text: string, redactor: Redactor): string {
  if (!redactor.has(text)) return text;
  const value = parseStructure(text);
  const redacted = value === undefined ? redactor.redact(text) : JSON.stringify(redactJson(value, redactor));
  // A forgotten text with JSON punctuation can extend over several values, where `redactJson` does not find it.
  return redactor.has(redacted) ? "{}" : redacted;
}

/** Returns the first forgotten text with some words around it; null if there is none. JSON is shown without punctuation. */
export function excerptOf(text: string, redactor: Redactor): string | null {
  const found = redactor.has(text) ? textsIn(text).map((one) => redactor.excerpt(one)) : [];
  // A forgotten text that is spread over several values is found only in the whole text.
  return found.find((excerpt) => excerpt !== null) ?? redactor.excerpt(text);
}

/** Returns all texts in a value. Instead of a text that is JSON, returns the texts in its parsed value. */
function textsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(textsIn);
  if (typeof value !== "string") return [String(value)];
  const inside = parseStructure(value);
  return inside === undefined ? [value] : textsIn(inside);
}

/** Returns the value without forgotten texts, also in keys and numbers. */
export function redactJson(value: unknown, redactor: Redactor): unknown {
  if (typeof value === "string") return redactor.redact(value);
  if (typeof value === "number" || typeof value === "bigint")
    return redactor.has(String(value)) ? forgottenMark : value;
  if (Array.isArray(value)) return value.map((item) => redactJson(item, redactor));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [redactor.redact(key), redactJson(item, redactor)]),
  );
}
