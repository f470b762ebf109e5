// Decides for each file of a request whether it is sent, and loads its content, so that request builders stay pure.
// Invariant: the result has an entry for every file of the request; a file that is not sent becomes a note with the
// reason. The newest files have precedence.
import { storableText } from "../../../base/code-points.ts";
import { isFetchable } from "../../../base/public-address.ts";
import { escapeReservedTags } from "../../../base/message/reserved-tags.ts";
import { type FilePart, fileNote, isText } from "../../../base/message/file-part.ts";
import { filesOf } from "../../../base/message/message.ts";
import type { ModelRequest } from "../model.ts";

export type WireFile =
  | { readonly type: "data"; readonly mediaType: string; readonly base64: string; readonly name: string }
  | { readonly type: "url"; readonly mediaType: string; readonly url: string }
  | { readonly type: "document"; readonly text: string; readonly name: string }
  | { readonly type: "note"; readonly text: string };

/** Files in wire form, keyed by the part object, because the same file can occur twice in a request. */
export type WireFiles = ReadonlyMap<FilePart, WireFile>;

/** The file limits of a provider. */
export interface FileRules {
  /** Returns why this file cannot be sent, for a note; null if it can. Not called for text documents. */
  readonly refusal: (file: FilePart) => string | null;
  /** Maximum Base64 characters of all files in a request. */
  readonly maxCharacters: number;
  /** Maximum number of files in a request, not counting text documents. */
  readonly maxFiles: number;
}

/** The reason in the note for a file of a kind that the model does not accept. */
export const notAcceptedReason = "this model does not accept it";

/** Returns all files of a request in wire form. Throws the errors of `loadFile`. */
export async function loadFiles(request: ModelRequest, rules: FileRules): Promise<WireFiles> {
  const loaded = new Map<FilePart, WireFile>();
  const room = { characters: rules.maxCharacters, files: rules.maxFiles };
  for (const file of request.messages.flatMap(filesOf).toReversed()) {
    const outcome = await wireFile(file, { request, rules, room });
    loaded.set(file, typeof outcome === "string" ? { type: "note", text: fileNote(file, outcome) } : outcome);
  }
  return loaded;
}

/** Returns the file in wire form; a note for a file that was not loaded. */
export function wireFileOf(files: WireFiles | undefined, file: FilePart): WireFile {
  return files?.get(file) ?? { type: "note", text: fileNote(file, notAcceptedReason) };
}

/** Returns the files, with a note instead of each file that is not a text document; the same object if there is no such file. */
export function withNotes(files: WireFiles, reason: string): WireFiles {
  const sent = [...files].filter(([, { type }]) => type === "data" || type === "url");
  if (sent.length === 0) return files;
  return new Map([...files, ...sent.map(([file]) => [file, { type: "note", text: fileNote(file, reason) }] as const)]);
}

/** Returns a text document between markers. A marker within the document is escaped, so that the document cannot end early. */
export function documentText({ name, text }: Extract<WireFile, { type: "document" }>): string {
  return `[file ${name}]\n${text.replace(documentFrame, "&#91;")}\n[end of file ${name}]`;
}

const documentFrame = /\[(?=\s{0,16}(?:end\s{1,16}of\s{1,16})?file\b)/giu;

interface Loading {
  readonly request: ModelRequest;
  readonly rules: FileRules;
  readonly room: { characters: number; files: number };
}

/** Returns the file in wire form, or a string: the reason why the file is not sent. */
async function wireFile(file: FilePart, { request, rules, room }: Loading): Promise<WireFile | string> {
  const isDocument = isText(file);
  const refusal = isDocument ? null : rules.refusal(file);
  if (refusal !== null) return refusal;
  if (!isDocument && room.files === 0)
    return `left out: a request may contain at most ${rules.maxFiles} files, and newer files have precedence`;
  const { location, mediaType, name } = file;
  if (location.type === "url") {
    room.files -= 1;
    return linkedFile(location.url, mediaType);
  }
  const characters = Math.ceil((file.bytes ?? 0) / 3) * 4;
  if (characters > room.characters) return "left out: the request would be too large with it";
  const bytes = (await request.loadFile?.(file)) ?? null;
  if (bytes === null) return "its content is not available";
  room.characters -= characters;
  if (isDocument) return textDocument(name, new TextDecoder().decode(bytes));
  room.files -= 1;
  return { type: "data", mediaType, name, base64: Buffer.from(bytes).toString("base64") };
}

/**
 * Returns a file at a URL, or why it is not sent. The check is needed because files of imported messages are unchecked.
 */
function linkedFile(url: string, mediaType: string): WireFile | string {
  return isFetchable(url) ? { type: "url", mediaType, url } : "its URL is not an HTTPS URL of a public host";
}

// Returns a text document in wire form, or why it is not sent: providers refuse a document without text.
function textDocument(name: string, text: string): WireFile | string {
  return text.trim() === ""
    ? "it contains only white space"
    : { type: "document", name, text: escapeReservedTags(storableText(text)) };
}
