// Defines the tags that only the runtime may write in requests, and escapes them in other texts.
// Invariant: pure and stable: the same message always becomes the same text, which keeps a provider's cached prefix; a
// message without such a tag is returned unchanged. Thoughts are not escaped: their signatures cover their text.
import type { FilePart } from "./file-part.ts";
import type { ContentPart, Message } from "./message.ts";

export const stateTag = "current_state";
/** The tag of the items retrieved for the last message. */
export const retrievedTag = "retrieved";

// Models also recognize a tag that contains white space (also as a JSON escape) or invisible characters. Every repetition is
// bounded, so that the time is linear in the length of the text.
const space = String.raw`(?:[\s\p{Cf}]|\\[nrt])`;
const gap = `${space}{0,16}`;
// The beginning of a section of core memory, such as `<persona characters="10/4000">`, with any label.
const section = `[\\w-]{1,64}${space}{1,16}characters${gap}=`;
const frame = new RegExp(`<(?=${gap}/?${gap}(?:${stateTag}|${retrievedTag}))`, "giu");
const reserved = new RegExp(`<(?=${gap}/?${gap}(?:${stateTag}|${retrievedTag}|synopsis|${section}))`, "giu");

/** Returns external text with the `<` of each reserved tag written as `&lt;`. */
export function escapeReservedTags(text: string): string {
  return text.includes("<") ? text.replace(reserved, "&lt;") : text;
}

/**
 * Like `escapeReservedTags`, for rendered core memory: leaves the tags of its sections, and escapes only those of state
 * entries and retrieved items.
 */
export function escapeFrames(text: string): string {
  return text.includes("<") ? text.replace(frame, "&lt;") : text;
}

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

/** Returns the JSON text with its escapes resolved where possible; null for text that is not JSON. */
function decode(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return null;
    throw error;
  }
}
