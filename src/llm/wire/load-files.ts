// Decides what becomes of each file of a request, and loads what is to be sent, so that request builders stay pure.
// Invariant: every file of the request has a place in the result; what is not sent is a note that says why. The newest files
// come first when not all can be sent.
import { storableText } from "../../base/code-points.ts";
import { escapeReservedTags } from "../../base/reserved-tags.ts";
import { type FilePart, fileNote, isText } from "../../message/file-part.ts";
import { filesOf } from "../../message/message.ts";
import type { ModelRequest } from "../model.ts";

/** A file as it goes over the wire. */
export type WireFile =
  | { readonly type: "data"; readonly mediaType: string; readonly base64: string; readonly name: string }
  | { readonly type: "url"; readonly mediaType: string; readonly url: string }
  | { readonly type: "document"; readonly text: string; readonly name: string }
  | { readonly type: "note"; readonly text: string };

/** By the part itself: the same file can stand in a request twice. */
export type WireFiles = ReadonlyMap<FilePart, WireFile>;

/** What a provider takes. */
export interface FileRules {
  /** Why this file cannot be sent, for a note; null when it can. Text documents are not asked about. */
  readonly refusal: (file: FilePart) => string | null;
  /** Characters that all files of a request may have together, in Base64. */
  readonly maxCharacters: number;
  /** Files that a request may hold, text documents aside. */
  readonly maxFiles: number;
}

/** What a model that can be sent nothing but text is told of any other file. */
export const notTaken = "this model cannot be sent it";

/** Throws what `loadFile` throws. */
export async function loadFiles(request: ModelRequest, rules: FileRules): Promise<WireFiles> {
  const loaded = new Map<FilePart, WireFile>();
  const room = { characters: rules.maxCharacters, files: rules.maxFiles };
  for (const file of request.messages.flatMap(filesOf).toReversed()) {
    const outcome = await wireFile(file, { request, rules, room });
    loaded.set(file, typeof outcome === "string" ? { type: "note", text: fileNote(file, outcome) } : outcome);
  }
  return loaded;
}

/** The file as it is sent; for one that was not loaded, a note. */
export function wireFileOf(files: WireFiles | undefined, file: FilePart): WireFile {
  return files?.get(file) ?? { type: "note", text: fileNote(file, notTaken) };
}

/** A text document in a frame that shows its end. A frame that the document contains is escaped, so that it ends once. */
export function documentText({ name, text }: Extract<WireFile, { type: "document" }>): string {
  return `[file ${name}]\n${text.replace(documentFrame, "&#91;")}\n[end of file ${name}]`;
}

const documentFrame = /\[(?=\s{0,16}(?:end\s{1,16}of\s{1,16})?file\b)/giu;

interface Loading {
  readonly request: ModelRequest;
  readonly rules: FileRules;
  readonly room: { characters: number; files: number };
}

/** A string is the reason why it is not sent. */
async function wireFile(file: FilePart, { request, rules, room }: Loading): Promise<WireFile | string> {
  const isDocument = isText(file);
  const refusal = isDocument ? null : rules.refusal(file);
  if (refusal !== null) return refusal;
  if (!isDocument && room.files === 0)
    return `left out: a request may hold ${rules.maxFiles} files, and has newer ones`;
  const { location, mediaType, name } = file;
  if (location.type === "url") {
    room.files -= 1;
    return { type: "url", mediaType, url: location.url };
  }
  const characters = Math.ceil((file.bytes ?? 0) / 3) * 4;
  if (characters > room.characters) return "left out: the request would be too large with it";
  const bytes = (await request.loadFile?.(file)) ?? null;
  if (bytes === null) return "its content is not to be had";
  room.characters -= characters;
  if (isDocument) return textDocument(name, new TextDecoder().decode(bytes));
  room.files -= 1;
  return { type: "data", mediaType, name, base64: Buffer.from(bytes).toString("base64") };
}

// Providers refuse a document without text.
function textDocument(name: string, text: string): WireFile | string {
  return text.trim() === ""
    ? "it holds nothing but white space"
    : { type: "document", name, text: escapeReservedTags(storableText(text)) };
}
