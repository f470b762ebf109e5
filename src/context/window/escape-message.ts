// Escapes every reserved tag in a message of the history, so that content cannot imitate the runtime's own text.
// Invariant: pure and stable: the same message always becomes the same text, which keeps a provider's cached prefix; a
// message without such a tag is returned unchanged. Thoughts are not escaped: their signatures cover their text.
import { escapeReservedTags } from "../../base/reserved-tags.ts";
import type { FilePart } from "../../base/message/file-part.ts";
import type { ContentPart, Message } from "../../base/message/message.ts";

/** Returns the message with reserved tags escaped in its texts, results, arguments and file names. */
export function escapeMessage(message: Message): Message {
  const content = message.content.map(escapePart);
  return content.every((part, at) => part === message.content[at]) ? message : { ...message, content };
}

function escapePart(part: ContentPart): ContentPart {
  switch (part.type) {
    case "text":
      return withText(part);
    case "tool-result":
      return escapeResult(part);
    case "tool-call": {
      const escaped = escapeArguments(part.arguments);
      return escaped === part.arguments ? part : { ...part, arguments: escaped };
    }
    case "file":
      return escapeFile(part);
    case "thought":
    case "state":
      return part;
  }
}

function withText<Part extends { readonly text: string }>(part: Part): Part {
  const text = escapeReservedTags(part.text);
  return text === part.text ? part : { ...part, text };
}

function escapeResult(part: Extract<ContentPart, { type: "tool-result" }>): ContentPart {
  const escaped = withText(part);
  const files = part.files?.map(escapeFile);
  return files === undefined || files.every((file, at) => file === part.files?.[at]) ? escaped : { ...escaped, files };
}

function escapeFile(file: FilePart): FilePart {
  const name = escapeReservedTags(file.name);
  return name === file.name ? file : { ...file, name };
}

/**
 * Returns JSON arguments with reserved tags escaped, also tags in JSON escapes such as `\u003c`, because adapters and servers
 * decode the arguments before a model reads them.
 */
function escapeArguments(text: string): string {
  const plain = escapeReservedTags(text);
  const decoded = text.includes("\\") ? decode(plain) : null;
  if (decoded === null) return plain;
  const escaped = escapeReservedTags(decoded);
  return escaped === decoded ? plain : escaped;
}

/** Returns the JSON text without unnecessary escapes; null for malformed JSON, which adapters send as plain text. */
function decode(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return null;
    throw error;
  }
}
