// Selects the texts of a conversation's messages for working memory: the user's texts, and results of tools.
// Invariant: pure; texts that came from memory are excluded, so that a copy does not displace its original; each piece
// is short enough for an embedder, and its id contains the message's id.
import { textOf } from "../../base/message/message.ts";
import type { StoredMessage } from "../../store/port/records.ts";
import type { WorkingInput } from "./working-entry.ts";

/** UTF-16 units of a piece: about 250 tokens of English, half of what most embedders read. */
const pieceLength = 1000;
/** Maximum pieces of one message; recall covers the rest. */
const maxPieces = 8;
const idOfPiece = /^(.{1,100})#\d$/u;

/** Prefix of a tool's name in `source`, so that no tool can pose as the user. */
const toolPrefix = "tool ";

/** Returns the tool that a text came from; null for the user's texts. */
export function toolSource(source: string): string | null {
  return source.startsWith(toolPrefix) ? source.slice(toolPrefix.length) : null;
}

export interface TurnTextOptions {
  readonly user: string;
  /** Returns whether a tool returns text that is not in memory already. */
  readonly isExternalTool: (toolName: string) => boolean;
}

export function turnTexts(messages: readonly StoredMessage[], options: TurnTextOptions): readonly WorkingInput[] {
  return messages.flatMap((message) => [...messageTexts(message, options), ...resultTexts(message, options)]);
}

/** Returns the id of the message that a text was made from. */
export function messageIdOf(id: string): string {
  return idOfPiece.exec(id)?.[1] ?? id;
}

/** Returns the ids that the texts of a message can have. */
export function textIdsOf(messageId: string): readonly string[] {
  return Array.from({ length: maxPieces }, (_, place) => textId(messageId, place));
}

function messageTexts(message: StoredMessage, { user }: TurnTextOptions): readonly WorkingInput[] {
  if (message.role !== "user" || message.kind !== "message") return [];
  return textsOf(message, textOf(message), { source: "user", user });
}

function resultTexts(message: StoredMessage, { user, isExternalTool }: TurnTextOptions): readonly WorkingInput[] {
  if (message.role !== "tool" || message.kind !== "message") return [];
  const [result] = message.content.filter((part) => part.type === "tool-result");
  if (result === undefined || result.status !== "ok" || !isExternalTool(result.name)) return [];
  return textsOf(message, result.text, { source: `${toolPrefix}${result.name}`, user });
}

function textsOf(
  { id, at, trust }: StoredMessage,
  text: string,
  given: Pick<WorkingInput, "source" | "user">,
): readonly WorkingInput[] {
  return piecesOf(text).map((piece, place) => ({ ...given, text: piece, id: textId(id, place), at, trust }));
}

function textId(messageId: string, place: number): string {
  return place === 0 ? messageId : `${messageId}#${place}`;
}

/** Returns the pieces of a text, cut at the last white space in the second half of a piece, if there is any. */
function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  let from = 0;
  while (from < text.length && pieces.length < maxPieces) {
    const end = from + pieceLength >= text.length ? text.length : cutBefore(text, from);
    pieces.push(text.slice(from, end).trim());
    from = end;
  }
  return pieces.filter((piece) => piece !== "");
}

function cutBefore(text: string, from: number): number {
  const end = from + pieceLength;
  for (let place = end; place > from + pieceLength / 2; place -= 1) {
    if (/\s/u.test(text.charAt(place))) return place;
  }
  // Does not split a surrogate pair.
  return /[\ud800-\udbff]/u.test(text.charAt(end - 1)) ? end - 1 : end;
}
